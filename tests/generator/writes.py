"""Statements that write in place, in every form that the rewriter knows."""

from __future__ import annotations

from generator.expressions import fresh, mixed, operand, shape_of, truth, value
from generator.kinds import BOOL, BYTE, DOUBLE, FLOAT, INT, REAL, Place, Plain, Shape, Tensor
from generator.writer import Writer, atom

PLAIN_METHODS = (
    "relu_()", "sigmoid_()", "tanh_()", "neg_()", "sin_()", "cos_()", "square_()", "abs_()", "clamp_(-1.5, 1.5)",
    "clamp_(min=-0.4)", "clamp_max_(0.9)", "mul_(2)", "mul_(0.5)", "add_(1)", "sub_(0.5)", "div_(2)", "pow_(2)",
    "add_(0.3).mul_(2)", "mul_(0.5).tanh_()", "sigmoid_().mul_(2).sub_(1)", "clamp_(0, 1).add_(0.1)", "exp_()",
    "fill_(0.5)", "zero_()", "cumsum_(0)", "masked_fill_({m}, 0.5)", "masked_fill_({m}, 0)", "gt_(0.1)",
)  # fmt: skip
OPERAND_METHODS = (
    "add_({o})", "mul_({o})", "sub_({o})", "copy_({o})", "add_({o}, alpha=2)", "mul_({o}).add_(1)", "lerp_({f}, 0.3)",
    "addcmul_({o}, {o})", "add_({o}).relu_()", "masked_fill_({m}, 0).add_({o})", "div_({a}.abs() + 1)",
    "copy_({f})", "hypot_({f})", "maximum_({f})",
)  # fmt: skip
RANDOM_METHODS = ("normal_()", "uniform_(-1, 1)", "bernoulli_(0.5)")
FUNCTIONS = (
    "torch.relu_({})", "torch.sigmoid_({})", "torch.tanh_({})", "torch.neg_({})", "torch.clamp_({}, -1.0, 1.0)",
    "F.relu_({})", "torch.exp_({})", "F.leaky_relu_({}, 0.1)", "torch.square_({})", "torch.sin_({})",
)  # fmt: skip
FLAGGED = (
    "F.relu({}, inplace=True)", "F.leaky_relu({}, 0.2, inplace=True)", "F.elu({}, inplace=True)",
    "F.silu({}, inplace=True)",
    "F.hardtanh({}, inplace=True)", "F.relu({}, True)", "F.relu6({}, inplace=True)", "F.dropout({}, 0.5, inplace=True)",
    "F.selu({}, inplace=True)", "F.threshold({}, 0.1, 0.0, inplace=True)", "nn.ReLU(inplace=True)({})",
    "nn.Hardswish(True)({})",
    "F.dropout({}, 0.5, False, True)",
)  # fmt: skip


def target(w: Writer, dtypes: tuple[str, ...] = REAL, shape: Shape | None = None) -> tuple[Place, Tensor] | None:
    """A tensor that may be written."""
    place = w.recent(w.tensors(shape, dtypes, writable=True))
    if place is None:
        if w.free_parameters or not w.chance(0.03):
            return None
        place = w.recent(w.tensors(shape, dtypes))  # a leaf: autograd refuses, the forward alone runs
    if place is None or not isinstance(place.kind, Tensor):
        return None
    return place, place.kind


def augmented(w: Writer) -> bool:
    """`y += ...` and its relatives."""
    found = target(w, (FLOAT, FLOAT, DOUBLE, INT, BYTE, BOOL))
    if found is None or not w.can_assign(found[0]):
        return False
    place, kind = found
    if kind.dtype in (INT, BYTE):
        return _integer_augmented(w, place)
    if kind.dtype == BOOL:
        w.emit(f"{place.text} {w.pick(['&=', '|=', '^='])} {truth(w, kind.shape)}")
        return True
    roll = w.rng.random()
    if roll < 0.3:
        text = f"{w.pick(['+=', '*=', '-=', '/=', '**='])} {w.pick(['2', '0.5', '1.5', '3'])}"
    elif roll < 0.42:
        text = f"/= {operand(w, kind.shape, depth=0)} + 4"
    elif roll < 0.47:
        text = f"+= {mixed(w, kind)}"
    else:
        text = f"{w.pick(['+=', '+=', '*=', '-='])} {operand(w, kind.shape, (kind.dtype,), 2)}"
    w.touch(place, text)
    w.emit(f"{place.text} {text}")
    return True


def _integer_augmented(w: Writer, place: Place) -> bool:
    operator = w.pick(["+=", "*=", "-=", "//=", "%=", "&=", "|=", "<<="])
    w.emit(f"{place.text} {operator} {w.pick(['1', '2', '3'])}")
    return True


def _method(w: Writer, place: Place, kind: Tensor) -> str:
    mask, with_operand = truth(w, kind.shape), w.chance(0.45)
    if w.chance(0.04):
        return w.pick(RANDOM_METHODS)
    form = w.pick(OPERAND_METHODS if with_operand else PLAIN_METHODS)
    while form in ("cumsum_(0)", "maximum_({f})") and (kind.shape == () or form.startswith("max")):
        form = w.pick(PLAIN_METHODS)
    other = operand(w, kind.shape, (kind.dtype,), 1) if with_operand else ""
    full = fresh(w, kind.shape, kind.dtype, 1).text if "{f}" in form else ""
    w.touch(place, other + full)
    return form.format(o=other, f=full, m=mask, a=atom(other) if other else "")


def method(w: Writer) -> bool:
    """`y.mul_(2)` as a statement, assigned, chained, as an operand, as an argument."""
    found = target(w)
    if found is None:
        return False
    place, kind = found
    text = f"{place.text}.{_method(w, place, kind)}"
    roll = w.rng.random()
    if roll < 0.62:
        w.emit(text)
    elif roll < 0.72 and w.can_assign(place):
        w.emit(f"{place.text} = {text}")
    elif roll < 0.84:
        name = w.fresh("tensor")
        w.emit(f"{name} = {text}")
        w.bind(name, kind, text, writable=place.writable, dense=place.dense)
    else:
        name = w.fresh("tensor")
        text = f"{text} * {atom(operand(w, kind.shape, (kind.dtype,)))}" if w.chance(0.6) else f"torch.sigmoid({text})"
        w.emit(f"{name} = {text}")
        w.bind(name, kind, text, dense=place.dense)
    return True


def other_methods(w: Writer) -> bool:
    """Underscore methods of integers, masks and of the object itself (`t_`, `unsqueeze_`)."""
    found = target(w, (INT, BYTE, BOOL)) if w.chance(0.7) else None
    if found is not None:
        place, kind = found
        if kind.dtype == BOOL:
            w.emit(f"{place.text}.{w.pick(['logical_not_()', f'logical_and_({truth(w, kind.shape)})', 'fill_(True)'])}")
        else:
            w.emit(f"{place.text}.{w.pick(['add_(2)', 'mul_(3)', 'clamp_(max=2)', 'zero_()', 'sub_(1)', 'eq_(1)'])}")
        return True
    square = w.recent([p for p in w.tensors(None, REAL, writable=True) if shape_of(p) == (w.rows, w.rows)])
    if square is None or not w.straight:
        return False
    square.dense = False
    w.emit(f"{square.text}.{w.pick(['t_()', 'transpose_(0, 1)'])}")
    return True


def index(w: Writer, shape: Shape) -> tuple[str, Shape, bool]:
    """A basic index into a shape: its text, what it selects, whether more brackets may follow."""
    length = shape[0]
    counters = [p.text for p in w.plains("int") if w.bounds.get(p.text, length + 1) <= length]
    if counters and w.chance(0.6):
        return w.pick(counters), shape[1:], True
    roll = w.rng.random()
    if roll < 0.35:
        return w.pick(["0", "1", "-1"]) if length > 1 else "0", shape[1:], True
    if roll < 0.6:
        start = w.pick(["1:", ":-1"]) if length > 1 else ":"
        return start, ((length - 1) if length > 1 else length, *shape[1:]), True
    if roll < 0.7:
        return "::2", ((length + 1) // 2, *shape[1:]), True
    if len(shape) == 2:
        if roll < 0.85:
            return w.pick([":, 0", "..., 1", ":, -1"]) if shape[1] > 1 else ":, 0", shape[:1], True
        column = w.pick(["1:", ":1"]) if shape[1] > 1 else ":"
        width = shape[1] - 1 if column == "1:" else 1
        return f":, {column}", (length, width), True
    return w.pick([":", "..."]), shape, True


def store(w: Writer) -> bool:
    """`y[0] = ...`, `y[1:] += ...`, `y[0][1] = ...`, `y[:, 1].mul_(2)`."""
    found = target(w)
    if found is None or found[1].shape == ():
        return False
    place, kind = found
    text, part, _ = index(w, kind.shape)
    element = f"{place.text}[{text}]"
    if len(part) == 1 and w.chance(0.3):
        second, part, _ = index(w, part)
        element = f"{element}[{second}]"
    small = w.pick([part, part, ()])
    other = value(w, small, kind.dtype, 1).text if w.chance(0.7) else w.number()
    roll = w.rng.random()
    if roll < 0.5:
        line = f"{element} = {other}"
    elif roll < 0.78:
        line = f"{element} {w.pick(['+=', '*=', '-='])} {other}"
    elif roll < 0.95:
        plain = ["mul_(2)", "add_(1)", "zero_()", "fill_(0.5)", "tanh_()", "relu_()"]
        line = f"{element}.{w.pick([*plain, f'copy_({other})', f'add_({other})'])}"
    else:
        line = f"{element} = {element} * 2 + 1"
    w.touch(place, other)
    w.emit(line)
    return True


def masked(w: Writer) -> bool:
    """`y[mask] = ...` with numbers, full tensors, selected values."""
    found = target(w)
    if found is None or found[1].shape == ():
        return False
    place, kind = found
    shape = kind.shape[:1] if w.chance(0.15) else kind.shape
    mask, y = truth(w, shape), place.text
    if w.chance(0.35) and not mask.isidentifier():
        name = w.fresh("mask")
        w.emit(f"{name} = {mask}")
        w.bind(name, Tensor(shape, BOOL), mask, grad=False)
        mask = name
    full = fresh(w, kind.shape, kind.dtype, 0).text
    line = w.pick(
        [
            f"{y}[{mask}] = {w.number()}",
            f"{y}[{mask}] = 0",
            f"{y}[{mask}] = {y}[{mask}] * 2",
            f"{y}[{mask}] = torch.tanh({y}[{mask}])",
            f"{y}[{mask}] = {atom(full)}[{mask}]",
            f"{y}[{mask}] += {w.pick(['1', '0.5'])}",
            f"{y}[{mask}] *= {w.pick(['2', '0.5'])}",
            f"{y}[{mask}] -= {atom(full)}[{mask}]",
            f"{y}[{mask}] = {value(w, (), kind.dtype, 1).text}",
        ]
    )
    w.touch(place, line)
    w.emit(line)
    return True


def advanced(w: Writer) -> bool:
    """`y[idx] = ...` with integer tensors and lists."""
    found = target(w)
    if found is None or not found[1].shape or found[1].shape[0] < 2:
        return False
    place, kind = found
    picks = w.pick(["[0, 1]", "[1, 0]", "torch.tensor([0, 1])", "torch.tensor([1])", "[1]"])
    if w.chance(0.3):
        name = w.fresh("index")
        w.emit(f"{name} = {picks if picks.startswith('torch') else f'torch.tensor({picks})'}")
        w.bind(name, Plain("index"), grad=False)
        picks, size = name, 1 if picks.endswith("[1])") or picks == "[1]" else 2
    else:
        size = 1 if "[1]" in picks else 2
    part = (size, *kind.shape[1:])
    other = value(w, part, kind.dtype, 1).text if w.chance(0.6) else w.pick(["2.0", "0.5"])
    y = f"{place.text}[{picks}]"
    line = w.pick(
        [
            f"{y} = {other}",
            f"{y} += {other}",
            f"{y} *= 0.5",
            f"{y} = {y} * 2",
            f"{place.text}.index_fill_(0, torch.tensor([1]), 0.5)",
        ]
    )
    w.touch(place, other)
    w.emit(line)
    return True


def swap(w: Writer) -> bool:
    """Stores to two places in one statement."""
    found = target(w)
    if found is None or not found[1].shape or found[1].shape[0] < 2:
        return False
    y, kind = found[0].text, found[1]
    other = value(w, kind.shape[1:], kind.dtype, 1).text
    w.emit(
        w.pick(
            [
                f"{y}[0], {y}[1] = {y}[1].clone(), {y}[0].clone()",
                f"{y}[0] = {y}[-1] = {other}",
                f"{y}[0], {y}[1] = {y}[1], {y}[0]",
            ]
        )
    )
    return True


def data_store(w: Writer) -> bool:
    """`y.data = ...`, `y.data += ...`, `y.data[mask] = ...`, `y.detach().mul_(...)`."""
    found = target(w, (FLOAT,))
    if found is None:
        return False
    place, kind = found
    y, other = place.text, fresh(w, kind.shape, FLOAT, 1).text
    choices = [f"{y}.data = {other}"] * 4 + [
        f"{y}.data += {w.pick(['1', '0.5'])}", f"{y}.data *= 2", f"{y}.data.mul_(0.5)",
        f"{y}.data.copy_({atom(other)}.detach())",
        f"{y}.data.clamp_(-1, 1)", f"{y}.detach().mul_(2)", f"{y}.data = {y}.data * 2",
    ]  # fmt: skip
    if kind.shape:
        choices += [f"{y}.data[0] = 0.5", f"{y}.data[{truth(w, kind.shape)}] = 0"]
    w.emit(w.pick(choices))
    return True


def function(w: Writer) -> bool:
    """`torch.relu_(y)`, `F.relu(y, inplace=True)`, `nn.ReLU(inplace=True)(y)` as a statement and as a value."""
    found = target(w)
    if found is None:
        return False
    place, kind = found
    text = w.pick(FUNCTIONS if w.chance(0.4) else FLAGGED).format(place.text)
    roll = w.rng.random()
    if roll < 0.3:
        w.emit(text)
    elif roll < 0.55 and w.can_assign(place):
        w.emit(f"{place.text} = {text}")
    elif roll < 0.8:
        name = w.fresh("tensor")
        w.emit(f"{name} = {text}")
        w.bind(name, kind, text, writable=place.writable, dense=place.dense)
    else:
        name = w.fresh("tensor")
        text = f"{text} + {w.pick([place.text, operand(w, kind.shape, (kind.dtype,))])}"
        w.emit(f"{name} = {text}")
        w.bind(name, kind, text, dense=place.dense)
    return True


def out_argument(w: Writer) -> bool:
    """`torch.add(a, b, out=y)` on tensors that autograd doesn't track, or under no_grad."""
    shape = w.shape()
    a, b = (atom(value(w, shape, FLOAT, 1).text) for _ in range(2))
    name = w.fresh("tensor")
    form = w.pick(
        [
            "torch.add({a}, {b}, out={y})",
            "torch.mul({a}, {b}, out={y})",
            "torch.sigmoid({a}, out={y})",
            "torch.sub({a}, 1, out={y})",
        ]
    )
    w.emit(
        f"{name} = torch.{w.pick(['empty', 'zeros'])}_like({a})" if w.chance(0.5) else f"{name} = torch.zeros_like({b})"
    )
    if w.chance(0.4):
        alias = w.fresh("tensor")
        w.emit(f"{alias} = {name}")
        w.bind(alias, Tensor(shape), grad=False)
    if w.chance(0.5):
        w.emit("with torch.no_grad():")
        w.emit("    " + form.format(a=a, b=b, y=name))
    else:
        w.emit(form.format(a=f"{a}.detach()", b=f"{b}.detach()", y=name))
    w.bind(name, Tensor(shape), grad=False)
    return True
