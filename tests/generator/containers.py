"""Statements about lists, tuples, dicts and objects that hold tensors."""

from __future__ import annotations

from generator.expressions import Expression, value
from generator.kinds import REAL, Place, Sequence, Shape, Table, Tensor
from generator.writer import Writer


def _held(w: Writer, shape: Shape, count: int) -> list[Expression]:
    return [value(w, shape, depth=1) for _ in range(count)]


def _bind_elements(w: Writer, name: str, keys: list[str], kind: Tensor, held: list[Expression]) -> None:
    for key, element in zip(keys, held, strict=True):
        w.bind(f"{name}{key}", kind, element.text, writable=element.writable, dense=element.dense)


def new_list(w: Writer) -> bool:
    """`xs = [a, b]`, `xs = (a, b)`, `xs = [a] * 2`, `xs = [a * k for k in range(2)]`."""
    shape = w.shape()
    held, kind = _held(w, shape, 2), Tensor(shape)
    name = w.fresh("list")
    roll = w.rng.random()
    if roll < 0.6:
        text = f"[{', '.join(e.text for e in held)}]"
    elif roll < 0.75:
        text = f"({', '.join(e.text for e in held)})"
    elif roll < 0.85:
        text, held = f"[{held[0].text}] * 2", [held[0]] * 2
    else:
        text = (
            f"[{value(w, shape, depth=1).text} for _ in range(2)]"
            if w.chance(0.3)
            else f"[({held[0].text}) * k for k in range(2)]"
        )
        held = [Expression(text)] * 2
    mutable = text.startswith("[")
    w.emit(f"{name} = {text}")
    w.bind(name, Sequence(kind, 2, mutable), text, writable=all(e.writable for e in held))
    keys = ["[0]", "[1]"]
    _bind_elements(w, name, keys, kind, held)
    if not mutable:
        for key in keys:
            w.scopes[-1].pop(f"{name}{key}") if w.chance(0.5) else None
    return True


def new_dict(w: Writer) -> bool:
    """`d = {"h": a, "c": b}`, `dict(h=a)`, or `d = {}; d["h"] = a`."""
    shape = w.shape()
    held, kind = _held(w, shape, 2), Tensor(shape)
    name = w.fresh("dict")
    keys = w.rng.sample(["h", "c", "x", "mean", "var", "state"], 2)
    pairs = list(zip(keys, held, strict=True))
    text = (
        "{" + ", ".join(f'"{key}": {e.text}' for key, e in pairs) + "}"
        if w.chance(0.8)
        else f"dict({', '.join(f'{key}={e.text}' for key, e in pairs)})"
    )
    if w.straight and w.chance(0.4):
        begun = w.pick(["{}", "dict()", "{key: 0 for key in ('h', 'x')}"])
        w.emit(f"{name} = {begun}")
        for key, e in pairs:
            w.emit(f'{name}["{key}"] = {e.text}')
    else:
        w.emit(f"{name} = {text}")
    w.bind(name, Table(kind, tuple(keys)), text, writable=all(e.writable for e in held))
    _bind_elements(w, name, [f'["{key}"]' for key in keys], kind, held)
    return True


def new_object(w: Writer) -> bool:
    """`box = Box(); box.h = a`."""
    shape = w.shape()
    held = value(w, shape, depth=1)
    name = w.fresh("object")
    w.used_box = True
    w.emit(f"{name} = Box()")
    w.emit(f"{name}.h = {held.text}")
    w.bind(f"{name}.h", Tensor(shape), held.text, writable=held.writable, dense=held.dense)
    return True


def append(w: Writer) -> bool:
    """`xs.append(y)`: the list may hold the tensor itself."""
    known = w.recent([p for p in w.lists() if isinstance(p.kind, Sequence) and p.kind.mutable and not w.iterated])
    if known is None or not isinstance(known.kind, Sequence) or w.chance(0.3):
        name = w.fresh("list")
        if not w.straight:
            return False
        kind = Tensor(w.shape())
        w.emit(f"{name} = []")
        known = w.bind(name, Sequence(kind, 0), writable=True)
    assert isinstance(known.kind, Sequence)
    element = value(w, known.kind.element.shape, depth=1)
    known.writable &= element.writable
    w.emit(f"{known.text}.{w.pick(['append({})', 'append({})', 'extend([{}])']).format(element.text)}")
    if w.straight:
        count = known.kind.length
        known.kind = Sequence(known.kind.element, count + 1)
        text = f"{known.text}[{count}]" if w.chance(0.5) else f"{known.text}[-1]"
        if count and text.endswith("[-1]"):
            w.scopes[-1].pop(text, None)
        w.scopes[-1][text] = Place(
            text, known.kind.element, element.writable, element.dense, w.tracks(element.text), w.frames[-1]
        )
    return True


def take(w: Writer) -> bool:
    """Read elements: `a, b = xs`, `first, *others = xs`, `v = d["h"]`, `v = xs.pop()`, `ys = list(xs)`, `ys = xs`."""
    holder = w.recent(w.places(lambda p: isinstance(p.kind, Sequence | Table)))
    if holder is None:
        return False
    kind, writable = holder.kind, holder.writable
    if isinstance(kind, Table):
        key = w.pick(kind.keys)
        name = w.fresh("tensor")
        w.emit(f"{name} = {holder.text}" + w.pick([f'["{key}"]', f'.get("{key}")', f'["{key}"] * 2']))
        w.bind(name, kind.element, holder.text, writable=writable, dense=False)
        return True
    assert isinstance(kind, Sequence)
    if kind.length == 0:
        return False
    roll = w.rng.random()
    name = w.fresh("tensor")
    if roll < 0.4:
        w.emit(f"{name} = {holder.text}[{w.pick(['0', '-1'])}]")
    elif roll < 0.55 and w.straight and kind.mutable and kind.length > 1 and holder.is_name:
        w.emit(f"{name} = {holder.text}.pop()")
        w.drop_parts(holder.text)
        holder.kind = Sequence(kind.element, kind.length - 1)
    elif roll < 0.75:
        copy = w.fresh("list")
        w.emit(f"{copy} = {w.pick(['list({})', '{}', '[*{}]', '{}[:]']).format(holder.text)}")
        w.bind(copy, Sequence(kind.element, kind.length, False), holder.text, writable=writable)
        return True
    else:
        w.emit(f"{name} = {w.pick(['sum({})', 'torch.stack(list({})).sum(0)', '{}[0]']).format(holder.text)}")
    w.bind(name, kind.element, holder.text, writable=writable, dense=False)
    return True


def element_write(w: Writer) -> bool:
    """`xs[0] += v`, `d["h"].mul_(2)`, `box.h[0] = 1`, `d["h"] = v`."""
    parts = w.places(lambda p: isinstance(p.kind, Tensor) and not p.is_name and p.kind.dtype in REAL and p.writable)
    place = w.recent(parts)
    if place is None or not isinstance(place.kind, Tensor):
        return False
    made = value(w, place.kind.shape, depth=1)
    text = place.text
    line = w.pick(
        [
            f"{text} += {made.text}",
            f"{text}.mul_(2)",
            f"{text} *= 0.5",
            f"{text}.add_({made.text})",
            f"{text} = {made.text}",
            f"{text}.tanh_()",
        ]
    )
    if "= " in line and not (w.can_assign(place) and _in_mutable(w, place)):
        return False
    if line == f"{text} = {made.text}":
        w.bind(text, place.kind, made.text, writable=made.writable, dense=made.dense)
    w.touch(place, made.text)
    w.emit(line)
    return True


def _in_mutable(w: Writer, place: Place) -> bool:
    holder = w.lookup(place.text.split("[")[0])
    return not (holder is not None and isinstance(holder.kind, Sequence) and not holder.kind.mutable)
