"""Writes that raise in place and not out of place, where somebody handles the error."""

from __future__ import annotations

from generator.kinds import Plain
from generator.snippets import define, emit, given, watch
from generator.writer import Writer

FAILING = (
    (
        "torch.zeros({c})",
        (
            "{t}.add_({m})",
            "{t} += {m}",
            "{t}.mul_({m})",
            "{t} *= {m}",
            "{t}.sub_({m}.detach())",
            "{t}.masked_fill_({m} > 0, 0.5)",
            "{t}.clamp_({m})",
            "{t}.lerp_({m}, 0.5)",
        ),
    ),
    ("{m}.sum(0)", ("{t} += {m}", "{t}.div_({m}.exp())", "{t} = {t}.add_({m})")),
    (
        "torch.arange({c})",
        (
            "{t} += 0.5",
            "{t}.mul_(1.5)",
            "{t}.sigmoid_()",
            "{t}.sqrt_()",
            "{t}.exp_()",
            "{t} /= 2",
            "{t}.div_(2)",
            "{t} -= {m}[0].detach()",
            "{t}.clamp_(min=0.5)",
            "{t} **= 0.5",
            "{t}.add_(torch.ones({c}))",
        ),
    ),
    (
        "({m}[0] > 0.1)",
        (
            "{t} += 1",
            "{t}.mul_(2)",
            "{t} -= True",
            "{t}.add_(0.5)",
            "{t}.bitwise_and_(1)",
            "{t}.clamp_(min=0.5)",
            "{t} |= 2",
        ),
    ),
    (
        "torch.ones({c}, requires_grad=True)",
        (
            "{t} += 1",
            "{t}.mul_(2)",
            "{t}[0] = 1",
            "F.relu({t}, inplace=True)",
            "nn.ReLU(inplace=True)({t})",
            "{t}.zero_()",
            "{t} *= {m}[0]",
            "{t}[0].add_(1)",
            "{t}.view(-1).mul_(2)",
        ),
    ),
    ("nn.Parameter(torch.ones({c}))", ("{t} += 1", "{t}.copy_({m}[0])", "torch.relu_({t})", "{t}[:1] *= 2")),
    ("{m}.chunk(2)[0]", ("{t} += 1", "{t}.mul_(2)", "F.relu({t}, inplace=True)")),
    ("({m} * 2).unbind(0)[0]", ("{t} += 1", "{t}.exp_()", "{t} *= {t}")),
    ("torch.split({m} * 1, 1)[0]", ("{t} -= 1", "{t}[0] = 0.5")),
    ("{m}[:1].expand({r}, {c})", ("{t} += 1", "{t}.mul_(2)", "{t} *= {m}", "{t}.add_({m})")),
    ("torch.zeros(1, {c}).expand({r}, -1)", ("{t} += {m}", "{t}.exp_()", "{t}.copy_({m})")),
    (
        "{m} * 1",
        (
            "{t}[1:].add_({t}[:-1])",
            "{t}[1:] += {t}[:-1]",
            "torch.add({m}, 1, out={t})",
            "{t}.add_(1)",
            "{t}[:, 1:].mul_({t}[:, :-1])",
        ),
    ),
    ("{m}.detach().half()", ("{t} += 1j", "{t}.add_({m}.detach())", "{t} += {m}")),
)
"""What is written, and writes that may raise; {m} is a matrix."""

AROUND = {
    "NAME(f, *a)": "def NAME(f, *a):\n    try:\n        return f(*a)\n    except {e}:\n        return 'raised'",
    "NAME(f, *a, **k)": "def NAME(f, *a, times=2, **k):\n    for _ in range(times):\n        try:\n"
    "            return f(*a, **k)\n        except {e} as error:\n"
    "            last = type(error).__name__\n    return last",
    "class": "class NAME:\n    def __init__(self, f):\n        self.f = f\n\n"
    "    def __call__(self, *a):\n        try:\n"
    "            return self.f(*a)\n        except {e}:\n            return 'raised'",
    "decorator": "def NAME(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n        try:\n"
    "            return f(*a, **k)\n        except {e}:\n            return 'raised'\n    return inner",
    "manager": "@contextmanager\ndef NAME():\n    try:\n        yield\n    except {e}:\n        pass",
    "quiet": "class NAME:\n    def __enter__(self):\n        return self\n\n"
    "    def __exit__(self, kind, error, trace):\n"
    "        return kind is not None and issubclass(kind, {e})",
}
ERRORS = ("RuntimeError", "Exception", "(RuntimeError, ValueError)")


def _failing(w: Writer, m: str) -> tuple[str, str]:
    source, writes = w.pick(FAILING)
    return source.format(m=m, r=w.rows, c=w.columns), w.pick(writes).replace("{r}", str(w.rows)).replace(
        "{c}", str(w.columns)
    )


def _writer(w: Writer, write: str) -> str:
    """A function that makes the write to its first argument."""
    line = write.format(t="t", m="m")
    inner = w.pick([line, line, f"if m is not None:\n        {line}", f"for _ in range(1):\n        {line}"])
    end = w.pick(["\n    return t", "\n    return t.sum()", "", "\n    return 'done'"])
    name = define(w, w.pick(["_grow", "_bump", "grow"]), f"def NAME(t, m):\n    {inner}{end}")
    if w.chance(0.3):
        return define(w, "_deep", f"def NAME(t, m):\n    {w.pick(['return ', 'r = '])}{name}(t, m)\n    return 'deep'")
    if w.chance(0.2):
        return (
            define(w, "_Steps", f"class NAME:\n    @staticmethod\n    def go(t, m):\n        return {name}(t, m)")
            + ".go"
        )
    return name


def _block(header: str, body: str) -> str:
    return header + "\n" + "\n".join(f"    {line}" for line in body.splitlines())


def direct(w: Writer) -> bool:
    """`try: t += m except RuntimeError: ...` and its relatives around the write itself."""
    if w.depth > 1:
        return False
    m, t, done = given(w), w.fresh("tensor"), w.fresh("plain")
    source, write = _failing(w, m)
    line, error = write.format(t=t, m=m), w.pick(ERRORS)
    body = f"{line}\n{done} = 'went'"
    emit(w, f"{t} = {source}\n{done} = 'raised'")
    forms = [
        f"{_block('try:', body)}\nexcept {error}:\n    {w.pick(['pass', f'{done} = 1', f'{t} = {t} * 1'])}",
        _block(f"with {w.pick(['suppress', 'contextlib.suppress'])}({error}):", body.replace("\n    ", "\n")),
        _block(f"with {define(w, 'quiet', AROUND['manager'].format(e=error))}():", body),
        _block(f"with {define(w, 'Quiet', AROUND['quiet'].format(e=error))}():", body),
        _block("for _ in range(2):", f"{_block('try:', body)}\nexcept {error}:\n    continue"),
        _block("with contextlib.ExitStack() as stack_:", f"stack_.enter_context(suppress({error}))\n{body}"),
        f"{_block('try:', _block('try:', body) + chr(10) + 'finally:' + chr(10) + f'    {done} += str(1)')}\n"
        f"except {error}:\n    pass",
    ]
    emit(w, w.pick(forms))
    _seen(w, t, done)
    return True


def called(w: Writer) -> bool:
    """The write stands in a function, the handler around its call, in a helper, a decorator, a key function."""
    if w.depth > 1:
        return False
    m, t, done = given(w), w.fresh("tensor"), w.fresh("plain")
    source, write = _failing(w, m)
    error = w.pick(ERRORS)
    f = _writer(w, write)
    emit(w, f"{t} = {source}")

    def around(key: str) -> str:
        return define(w, {"class": "Safe"}.get(key, "attempt"), AROUND[key].format(e=error))

    kind = w.pick(["try", "attempt", "retry", "class", "decorator", "manager", "suppress", "lambda", "partial", "map",
                   "key", "generator", "module", "future", "later", "method"])  # fmt: skip
    call = f"{f}({t}, {m})"
    handler = f"\nexcept {error}:\n    {done} = 'raised'"
    if kind == "attempt":
        text = f"{done} = {around('NAME(f, *a)')}({f}, {t}, {m})"
    elif kind == "retry":
        text = f"{done} = {around('NAME(f, *a, **k)')}({f}, {t}, m={m})"
    elif kind == "class":
        text = f"{done} = {around('class')}({f})({t}, {m})"
    elif kind == "decorator":
        text = f"{done} = {around('decorator')}({f})({t}, {m})"
    elif kind in ("manager", "suppress"):
        header = f"{around('manager')}()" if kind == "manager" else f"suppress({error})"
        text = f"{done} = 'raised'\nwith {header}:\n    {done} = {call}"
    elif kind == "lambda":
        text = f"{done} = {around('NAME(f, *a)')}(lambda: {call})"
    elif kind == "partial":
        text = f"{done} = {around('NAME(f, *a)')}(partial({f}, {t}), {m})"
    elif kind == "map":
        text = f"try:\n    {done} = list(map({f}, [{t}], [{m}])){handler}"
    elif kind == "key":
        text = f"try:\n    {done} = sorted([{t}], key=lambda t_: ({f}(t_, {m}), 0)[1]){handler}"
    elif kind == "generator":
        name = define(w, "each", f"def NAME(t, m):\n    {write.format(t='t', m='m')}\n    yield t")
        text = f"try:\n    {done} = {w.pick(['next(iter(', 'list((', 'sum(1 for _ in ('])}{name}({t}, {m}))){handler}"
    elif kind == "module":
        line = write.format(t="t", m="m")
        name = define(
            w, "Step", f"class NAME(nn.Module):\n    def forward(self, t, m):\n        {line}\n        return t"
        )
        text = f"try:\n    {done} = {name}()({t}, {m}){handler}"
    elif kind == "future":
        text = f"{done} = 'raised'\nwith futures.ThreadPoolExecutor(1) as pool_:\n"
        text += f"    {done} = str(type(pool_.submit({f}, {t}, {m}).exception()))"
    elif kind == "later":
        name = define(
            w, "handles", f"def NAME(t, m):\n    try:\n        {f}(t, m)\n    except {error}:\n        return 1"
        )
        text = f"{done} = {name}({t}, {m})"
    elif kind == "method":
        name = define(
            w,
            "Runner",
            f"class NAME:\n    def __init__(self, t):\n        self.t = t\n\n    def go(self, m):\n        try:\n"
            f"            return self.step(m)\n        except {error}:\n            return 'raised'\n\n"
            f"    def step(self, m):\n        t = self.t\n        {write.format(t='t', m='m')}\n        return t",
        )
        text = f"{done} = {name}({t}).go({m})"
    else:
        text = f"try:\n    {done} = {call}{handler}"
    emit(w, text)
    _seen(w, t, done)
    return True


def _seen(w: Writer, t: str, done: str) -> None:
    w.bind(t, Plain("written"))
    w.bind(done, Plain("seen"))
    watch(w, t, done)
