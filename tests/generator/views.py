"""Statements that make views, aliases and copies that only sometimes are copies."""

from __future__ import annotations

from generator.expressions import Expression, fresh, value
from generator.kinds import REAL, Place, Shape, Tensor
from generator.writer import Writer, atom, sizes
from generator.writes import index

SAME = (
    "{y}.contiguous()", "{y}.to({y}.dtype)", "{y}.view_as({y})", "{y}[:]", "{y}[...]", "{y}.cpu()", "{y}.type_as({y})",
    "{y}.to('cpu')", "torch.as_tensor({y})", "{y}.detach()", "{y}.requires_grad_({y}.requires_grad)",
    "nn.Identity()({y})",
    "F.dropout({y}, 0.3, training=False)", "{y}.expand_as({y})",
)  # fmt: skip
MULTIPLE = (
    "{y}.unbind(0)",
    "{y}.chunk({n}, dim=0)",
    "{y}.split(1)",
    "torch.chunk({y}, {n})",
    "{y}.tensor_split({n})",
    "{y}",
)


def view_of(w: Writer, place: Place, kind: Tensor) -> tuple[Expression, Tensor]:
    """A view expression of a tensor and its type."""
    y, shape = place.text, kind.shape
    count = 1
    for size in shape:
        count *= size
    options: list[tuple[str, Shape, bool]] = [(f"{y}.reshape(-1)", (count,), True), (f"{y}.flatten()", (count,), True)]
    options += [(form.format(y=y), shape, place.dense) for form in w.rng.sample(SAME, 2)]
    if place.dense:
        options += [(f"{y}.view(-1)", (count,), True)] * 2
        options += [(f"{y}.view({w.columns}, {w.rows})", (w.columns, w.rows), True)] * (count == w.rows * w.columns)
        options += [(f"{y}.view({w.rows}, {w.columns})", (w.rows, w.columns), True)] * (count == w.rows * w.columns)
    if len(shape) == 1:
        options += [(f"{y}.unsqueeze(0)", (1, *shape), True), (f"{y}[None, :]", (1, *shape), True)]
        options += [(f"{y}.expand({w.rows}, {shape[0]})", (w.rows, *shape), False)]
    if shape:
        options += [_indexed(w, y, shape) for _ in range(5)]
        options += [(f"{y}.narrow(0, 0, 1)", (1, *shape[1:]), False), (f"{y}.select(0, 0)", shape[1:], False)]
        options += [(f"{y}.select(-1, 0)", shape[:-1], False)]
    if len(shape) == 2:
        flipped = shape[::-1]
        options += [(f"{y}{suffix}", flipped, False) for suffix in (".t()", ".T", ".transpose(0, 1)", ".permute(1, 0)")]
        options += [(f"{y}.diagonal()", (min(shape),), False), (f"{y}.t()[0]", shape[:1], False)]
        options += [(f"{y}[0].view(-1, 1)", (shape[1], 1), True)] * place.dense
        options += [(f"{y}.squeeze()", shape, place.dense)] * (1 not in shape)
    text, shape, dense = w.pick(options)
    return Expression(text, place.writable and "expand" not in text, dense), Tensor(shape, kind.dtype)


def _indexed(w: Writer, y: str, shape: Shape) -> tuple[str, Shape, bool]:
    text, part, _ = index(w, shape)
    return f"{y}[{text}]", part, text in ("0", "1", "-1", "i", "1:", ":-1")


def view(w: Writer) -> bool:
    """`v = y[0]`, `v = y.view(-1)`, ..."""
    place = w.recent(w.tensors(None, REAL))
    if place is None or not isinstance(place.kind, Tensor):
        return False
    expression, kind = view_of(w, place, place.kind)
    name = w.fresh("view")
    known = w.recent([p for p in w.tensors(kind.shape, (kind.dtype,)) if p.is_name and w.can_rebind(p, kind)])
    if known is not None and w.chance(0.12):
        name = known.text
    w.emit(f"{name} = {expression.text}")
    w.bind(name, kind, expression.text, writable=expression.writable, dense=expression.dense)
    return True


def pieces(w: Writer) -> bool:
    """`a, b = y.unbind(0)`, `parts = y.chunk(2)`."""
    places = [p for p in w.tensors(None, REAL) if isinstance(p.kind, Tensor) and p.kind.shape and p.kind.shape[0] >= 2]
    place = w.recent(places)
    if place is None or not isinstance(place.kind, Tensor):
        return False
    shape, count = place.kind.shape, place.kind.shape[0]
    form = w.pick(MULTIPLE)
    part = shape[1:] if form in ("{y}.unbind(0)", "{y}") else (1, *shape[1:])
    names = [w.fresh("view") for _ in range(count)]
    text = form.format(y=place.text, n=count)
    w.emit(f"{', '.join(names)} = {text}")
    writable = place.writable and (not place.grad or "tensor_split" in form or w.chance(0.15))
    for name in names:
        w.bind(name, Tensor(part, place.kind.dtype), text, writable=writable, dense=False)
    return True


def alias(w: Writer) -> bool:
    """`b = a`, `b = c = a.mul(2)`, `a, b = b, a`, `b = a if flag else c`, `b = (a := ...)`."""
    place = w.recent(w.tensors(None, REAL))
    if place is None or not isinstance(place.kind, Tensor):
        return False
    kind = place.kind
    same = [p for p in w.tensors(kind.shape, (kind.dtype,)) if p.text != place.text]
    other = w.recent(same)
    roll = w.rng.random()
    if roll < 0.45:
        name = w.fresh("tensor")
        w.emit(f"{name} = {place.text}")
        w.bind(name, kind, place.text, writable=place.writable, dense=place.dense)
    elif roll < 0.62 and other is not None and w.can_rebind(place, kind) and w.can_rebind(other, kind):
        w.emit(f"{place.text}, {other.text} = {other.text}, {place.text}")
        both = place.writable and other.writable, place.dense and other.dense, place.grad or other.grad
        for p in (place, other):
            p.writable, p.dense, p.grad = both
    elif roll < 0.75 and other is not None and (flag := w.recent(w.plains("flag"))):
        name = w.fresh("tensor")
        w.emit(f"{name} = {place.text} if {flag.text} else {other.text}")
        flags = {"writable": place.writable and other.writable, "dense": place.dense and other.dense}
        w.bind(name, kind, f"{place.text} {other.text}", **flags)
    elif roll < 0.9:
        names, made = [w.fresh("tensor") for _ in range(2)], fresh(w, kind.shape, kind.dtype)
        w.emit(f"{names[0]} = {names[1]} = {made.text}")
        for name in names:
            w.bind(name, kind, made.text, dense=made.dense)
    else:
        names, made = [w.fresh("tensor") for _ in range(2)], fresh(w, kind.shape, kind.dtype)
        w.emit(f"{names[0]} = ({names[1]} := {made.text}){w.pick(['', ' * 2', '.mul_(2)'])}")
        for name in names:
            w.bind(name, kind, made.text, dense=made.dense)
    return True


def assign(w: Writer) -> bool:
    """`z = expression`: a new name, or an old one bound anew."""
    shape = w.shape()
    made = value(w, shape, depth=3)
    kind = Tensor(shape)
    old = w.recent([p for p in w.tensors(None, REAL) if w.can_rebind(p, kind)])
    name = old.text if old is not None and w.chance(0.35) else w.fresh("tensor")
    w.emit(f"{name} = {made.text}")
    w.bind(name, kind, made.text, writable=made.writable, dense=made.dense)
    return True


def other_dtype(w: Writer) -> bool:
    """A mask, an index or number tensor of another dtype."""
    dtype = w.pick(["bool", "bool", "int", "double", "byte"])
    shape = w.shape()
    group = "mask" if dtype == "bool" else "tensor"
    name = w.fresh(group)
    if dtype == "double":
        source = w.recent(w.tensors(shape))
        text = (
            f"{atom(source.text)}.to(torch.float64)"
            if source and w.chance(0.6)
            else f"torch.ones({sizes(shape)}, dtype=torch.float64)"
        )
        writable = "ones" in text
    else:
        made = value(w, shape, dtype, 1)
        text, writable = made.text, made.writable
    w.emit(f"{name} = {text}")
    w.bind(name, Tensor(shape, dtype), text, writable=writable, dense=False)
    return True
