"""Regions of low precision, and tensors of different dtypes in one operation."""

from __future__ import annotations

from generator.kinds import Tensor
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

ACCUMULATE = "def NAME(t):\n    t.{op}\n    return t"
SHIFT = "def NAME(t, k):\n    t {op} k\n    return t"


def autocast(w: Writer) -> bool:
    """`with torch.autocast("cpu", dtype=torch.bfloat16): h = layer(x); h += bias`."""
    if w.depth > 1:
        return False
    y, h, bias = given(w), w.fresh("tensor"), w.fresh("tensor")
    layer = next((f.text for f in w.functions if f.text == "self.linear"), None)
    ones = f"torch.ones({w.columns}, {w.columns})"
    product = f"{layer}({y})" if layer and w.chance(0.7) else w.pick([f"{y} @ {ones}", f"F.linear({y}, {ones})"])
    names = ["self.scale"] if layer and w.chance(0.7) else []
    operand = w.pick(
        names or [bias, f"{y}[0]", y, f"torch.ones({w.columns})", f"torch.arange({w.columns}) * 0.5", "2.0"]
    )
    wide = w.pick(["", ".float()", ".softmax(-1)", ".exp()", ".to(torch.float32)"])
    writes = [
        f"{h} += {operand}",
        f"{h} *= {operand}",
        f"{h}.add_({operand})",
        f"{h}.mul_({operand}).relu_()",
        f"{h} -= {h}.mean()",
    ]
    writes += [
        f"{h}[0] = {y}[0]",
        f"{h}[:1] += {y}[:1]",
        f"{h}[{y} > 0.1] = 0.5",
        f"{h}.masked_fill_({y} > 0.1, 0.5)",
        f"{h} /= {h}.sum()",
    ]
    lines = [f"{h} = {product}{wide}", w.pick(writes)]
    lines += [
        w.pick([w.pick(writes), f"{y} = {y} + {h}", f"{h} = {h} @ torch.ones({w.columns}, {w.columns})"])
    ] * w.chance(0.5)
    if w.chance(0.25):
        name = define(w, "_shift", SHIFT.format(op=w.pick(["+=", "*=", "-="])))
        lines[1] = w.pick([f"{name}({h}, {operand})", f"{h} = {name}({h}, {operand})"])
    emit(w, f"{bias} = {y}.mean(0)")
    emit(w, w.pick(['with torch.autocast("cpu", dtype=torch.bfloat16):', 'with torch.amp.autocast("cpu"):']))
    for line in lines:
        w.emit(f"    {line}")
    w.bind(h, Tensor((w.rows, w.columns), "low"), dense=False)
    watch(w, h, y)
    return True


def _start(w: Writer, columns: int, y: str) -> tuple[str, bool]:
    """A tensor of some dtype, as one row; and whether it holds floats."""
    return w.pick(
        [
            (f"torch.arange({columns}, dtype=torch.int32)", False),
            (f"torch.arange({columns})", False),
            (f"torch.ones({columns}, dtype=torch.int16)", False),
            (f"({y}[0] > 0.1).to(torch.uint8)", False),
            (f"torch.full(({columns},), 3, dtype=torch.int8)", False),
            (f"{y}[0] > 0.1", False),
            (f"{y}[0].half()", True),
            (f"{y}[0].bfloat16()", True),
            (f"{y}[0].double()", True),
            (f"{y}[0] * 1", True),
            (f"torch.linspace(0, 1, {columns})", True),
            (f"torch.zeros({columns}, dtype=torch.float16)", True),
            (f"torch.arange({columns}).float()", True),
            (f"torch.arange(0, {columns}, 1.0)", True),
            (f"{y}[0].to(torch.float16)", True),
            (f"{y}[0].detach().clone()", True),
        ]
    )


def mixed(w: Writer) -> bool:
    """`n.cumsum_(0)` of int32, `h.half() += x`, `n //= 2`, `z += torch.arange(3)`; in helpers, too."""
    y, t, o = given(w), w.fresh("tensor"), w.fresh("tensor")
    text, real = _start(w, w.columns, y)
    other, other_real = _start(w, w.columns, y)
    emit(w, f"{t} = {text}\n{o} = {other}")
    counts = [
        "cumsum_(0)",
        "cumprod_(0)",
        "add_(1)",
        "mul_(2)",
        "clamp_(0, 2)",
        "zero_()",
        "fill_(1)",
        "abs_()",
        "square_()",
    ]
    counts += ["masked_fill_({t} > 1, 0)", "eq_(1)", "gt_(0)"]
    if text.endswith("> 0.1"):
        forms = ["{t} |= {t}", "{t} &= ~{t}", "{t}.logical_not_()", "{t}[0] = True", "{t} ^= {t}"]
    elif not real:
        forms = ["{t} += 1", "{t} *= 3", "{t} //= 2", "{t} %= 2", "{t}[0] = 2", "{t} <<= 1", "{t} -= {t}", "{t} |= 1"]
        forms += [f"{{t}}.{count}" for count in counts]
        if not other_real and not other.endswith("> 0.1"):
            forms += [f"{{t}} += {o}", f"{{t}}.mul_({o})", f"{{t}}.add_({o}, alpha=2)", f"{{t}}.copy_({o})"] * 3
    else:
        forms = ["{t} += 1", "{t} *= 0.5", "{t} /= 3", f"{{t}} += {y}[0]", f"{{t}} *= {y}", f"{{t}}[0] = {y}[0, 0]"]
        forms += [
            f"{{t}}.add_({y}[0])",
            "{t}.cumsum_(0)",
            "{t}.exp_()",
            f"{{t}}.copy_({y}[0])",
            "{t}.softmax(0).mul_(2)",
        ]
        forms += [f"{{t}} += {o}", f"{{t}}.mul_({o})", f"{{t}} -= {o}", "{t} **= 2", f"{{t}}[:] = {o}"] * 2
    forms = [form for form in forms if f"*= {y}" not in form or w.rows == 1]
    form = w.pick(forms)
    if w.chance(0.4):
        _through_helper(w, t, form)
    else:
        w.emit(form.format(t=t))
    if w.chance(0.3):
        w.emit(w.pick([f"{t} = {t} + {t}", f"{y} = {y} + {t}", f"{t} = {t}.clone()"]))
    w.bind(t, Tensor((w.columns,), "other"), dense=False)
    watch(w, t, y)
    return True


def _through_helper(w: Writer, t: str, form: str) -> None:
    words = form.split()
    if len(words) == 3 and words[0] == "{t}" and words[1].endswith("=") and words[1] != "=":
        name = define(w, "_shift", SHIFT.format(op=words[1]))
        call = f"{name}({t}, {words[2].format(t=t)})"
    elif form.startswith("{t}.") and "(" in form and form.count("{t}") == 1:
        method, _, rest = form[4:].partition("(")
        name = define(w, "_accumulate", ACCUMULATE.format(op=f"{method}(*a)").replace("(t)", "(t, *a)"))
        call = (
            f"{name}({t}, {rest.removesuffix(')')})" if rest.count(")") == 1 and "=" not in rest else form.format(t=t)
        )
        if method in ("cumsum_", "cumprod_", "square_", "abs_", "exp_"):
            name = define(w, "_accumulate", ACCUMULATE.format(op=f"{method}({rest}"))
            call = f"{name}({t})"
    else:
        w.emit(form.format(t=t))
        return
    w.emit(w.pick([call, f"{t} = {call}"]) if w.chance(0.7) else f"{t} = {call}.clone()")


def low_region(w: Writer) -> bool:
    """`h = y.to(torch.bfloat16); h += y; out = h.float()`."""
    y, h = given(w), w.fresh("tensor")
    low = w.pick(
        [
            ".to(torch.bfloat16)",
            ".bfloat16()",
            ".half()",
            ".double()",
            ".to(torch.float16)",
            ".float()",
            ".type(torch.float64)",
        ]
    )
    emit(w, f"{h} = {y}{low}")
    operand = w.pick(
        [
            y,
            f"{y}[0]",
            "0.5",
            f"torch.ones({w.columns})",
            f"torch.arange({w.columns})",
            f"{y}.mean()",
            f"{h}.float()",
            f"{h}.sum()",
        ]
    )
    emit(
        w,
        w.pick(
            [
                f"{h} += {operand}",
                f"{h} *= {operand}",
                f"{h}.add_({operand})",
                f"{h}[0] = {y}[0]",
                f"{h}.copy_({y})",
                change(w, h),
            ]
        ),
    )
    out = w.fresh("tensor")
    emit(w, f"{out} = {h}.float()" if w.chance(0.6) else f"{out} = {h} * 2")
    watch(w, h, y, out)
    w.bind(h, Tensor((w.rows, w.columns), "low"), dense=False)
    w.bind(out, Tensor((w.rows, w.columns), "low"), dense=False)
    return True
