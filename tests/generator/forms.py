"""Forms of code that the plain statements lack: dataclasses, properties, `match`, generators, comprehensions, `*args`.

They are used where `generate()` is asked for them, so that the programs of a seed stay what they are without.
"""

from __future__ import annotations

from collections.abc import Callable

from generator.control import body, condition
from generator.expressions import fresh, value
from generator.kinds import Place, Plain, Tensor
from generator.writer import Writer

HEADER = ["from contextlib import nullcontext", "from dataclasses import dataclass", ""]
CELL = [
    "@dataclass",
    "class Cell:",
    "    h: torch.Tensor",
    "    c: torch.Tensor",
    "",
    "    @property",
    "    def flat(self):",
    "        return self.h.reshape(-1)",
    "",
    "    def shift(self, k):",
    "        self.h += k",
    "        return self.c",
    "",
    "",
    "class Track:",
    "    def __init__(self, v):",
    "        self.h = v * 1",
    "        self.seen = self.h.view(-1)",
    "",
    "    def push(self, v):",
    "        self.h.add_(v)",
    "        return self",
    "",
    "    def read(self):",
    "        return self.seen.sigmoid()",
    "",
    "",
]


def _writable(w: Writer) -> Place | None:
    return w.recent([p for p in w.tensors(writable=True) if p.is_name and w.can_assign(p)])


def _shape(place: Place) -> tuple[int, ...]:
    assert isinstance(place.kind, Tensor)
    return place.kind.shape


def cases(w: Writer) -> bool:
    """`match n: case 0: ... case _: ...`."""
    counter = w.recent(w.plains("int"))
    if w.depth > 1 or counter is None:
        return False
    with w.block(f"match {counter.text} % 2:"):
        with w.block("case 0:"):
            body(w, 2)
        with w.block("case _:"):
            body(w, 2)
    return True


def cell(w: Writer) -> bool:
    """A dataclass that holds two tensors, its property and its method."""
    known = [p for p in w.places() if p.text.startswith("cell") and p.text.endswith(".h")]
    if not known or w.chance(0.3):
        shape = w.shape()
        held = [value(w, shape, depth=1) for _ in range(2)]
        name = next(f"cell{number}" for number in range(1, 99) if f"cell{number}" not in w.taken)
        w.taken.add(name)
        w.emit(f"{name} = Cell({held[0].text}, {held[1].text})")
        for field, made in zip(("h", "c"), held, strict=True):
            flags = {"writable": made.writable, "dense": made.dense}
            w.bind(f"{name}.{field}", Tensor(shape), made.text, **flags)
        return True
    place = w.pick(known)
    if not place.writable:
        return False
    name, out = place.text[:-2], w.fresh("tensor")
    form = w.pick([f"{name}.shift(0.5)", f"{name}.h.mul_(2)", f"{name}.c", f"{name}.flat", f"{name}.flat * 2"])
    w.emit(f"{out} = {form}")
    other = w.lookup(f"{name}.c")
    writable = other is not None and other.writable and w.chance(0.5)
    if ".flat" in form:
        count = 1
        for size in _shape(place):
            count *= size
        w.bind(out, Tensor((count,)), writable=False, dense=False)
    else:
        w.bind(out, place.kind, writable=writable, dense=False)
    return True


def track(w: Writer) -> bool:
    """An object one of whose methods reads what another one writes, through a view."""
    known = [p for p in w.places() if p.kind == Plain("track")]
    if not known:
        name = next(f"track{number}" for number in range(1, 99) if f"track{number}" not in w.taken)
        w.taken.add(name)
        w.emit(f"{name} = Track({fresh(w, (w.rows, w.columns), depth=1).text})")
        w.bind(name, Plain("track"), grad=False)
        return True
    name, out = w.pick(known).text, w.fresh("tensor")
    if w.chance(0.5):
        w.emit(f"{name}.push({value(w, (w.columns,), depth=1).text})")
        return True
    w.emit(f"{out} = {name}.read()")
    w.bind(out, Tensor((w.rows * w.columns,)))
    return True


def produced(w: Writer) -> bool:
    """A generator yields views or tensors, which the loop over it writes."""
    place = _writable(w)
    if place is None or w.depth > 1 or len(_shape(place)) != 2:
        return False
    name, part = w.fresh("function"), w.fresh("view")
    with w.function(f"def {name}():", [], nested=True):
        w.emit(f"for n in range({_shape(place)[0]}):")
        w.emit(f"    yield {w.pick([f'{place.text}[n]', f'{place.text}[n] * 2', f'{place.text}[n].exp()'])}")
    w.emit(f"for {part} in {name}():")
    w.emit("    " + w.pick([f"{part} += 0.5", f"{part}.mul_(2)", f"{part}.tanh_()", f"{part}[0] = 0.25"]))
    return True


def comprehension(w: Writer) -> bool:
    """In-place calls in comprehensions over names, lists and dicts."""
    place, out = _writable(w), w.fresh("list")
    if place is None:
        return False
    y = place.text
    forms = [
        f"[{y}.add_(n) for n in range(2)]",
        f"[t.mul_(2) for t in ({y}, {y} * 1)]",
        f"[t * 2 for t in [{y}] if t.sigmoid_().sum() > 0]",
        f"list({{'a': {y}.exp_()}}.values())",
        f"[{y}.tanh_().clone() for _ in range(2)]",
    ]
    w.emit(f"{out} = {w.pick(forms)}")
    name = w.fresh("tensor")
    w.emit(f"{name} = sum({out})")
    w.bind(name, place.kind, writable=False)
    return True


def walrus(w: Writer) -> bool:
    """`if (t := y * 2).sum() > 0: t += 1`."""
    place = _writable(w)
    if place is None or w.depth > 2:
        return False
    name = w.fresh("tensor")
    source = w.pick([place.text, f"{place.text} * 2", f"{place.text}.tanh()", f"{place.text}.mul_(0.5)"])
    w.emit(f"if ({name} := {source}).sum() > 0.1337:")
    w.emit("    " + w.pick([f"{name} += 1", f"{name}.mul_(2)", f"{name} *= {name}"]))
    w.bind(name, place.kind, writable=True, dense=False)
    return True


def starred(w: Writer) -> bool:
    """`first, *rest = y, z, u`, written through either name."""
    shape = w.shape()
    held = [value(w, shape, depth=1) for _ in range(3)]
    first, rest = w.fresh("tensor"), w.fresh("list")
    left = w.pick([f"{first}, *{rest}", f"*{rest}, {first}"])
    w.emit(f"{left} = {', '.join(e.text for e in held)}")
    writable = all(e.writable for e in held)
    w.bind(first, Tensor(shape), writable=writable, dense=False)
    for position in range(2):
        w.bind(f"{rest}[{position}]", Tensor(shape), writable=writable, dense=False)
    return True


def nested(w: Writer) -> bool:
    """A dict of lists, a list of dicts: written through two subscripts."""
    shape = w.shape()
    held = [value(w, shape, depth=1) for _ in range(2)]
    name = w.fresh("dict")
    writable = all(e.writable for e in held)
    if w.chance(0.5):
        w.emit(f'{name} = {{"a": [{held[0].text}, {held[1].text}]}}')
        keys = ['["a"][0]', '["a"][1]']
    else:
        w.emit(f'{name} = [{{"a": {held[0].text}}}, {{"b": ({held[1].text},)}}]')
        keys = ['[0]["a"]']
    for key, element in zip(keys, held, strict=False):
        w.bind(f"{name}{key}", Tensor(shape), element.text, writable=writable, dense=False)
    return True


def star_arguments(w: Writer) -> bool:
    """A helper writes what it gets as `*args`, a lambda what it is called with."""
    places = [p for p in w.tensors(writable=True) if p.is_name]
    if not places or w.depth > 1:
        return False
    chosen = w.rng.sample(places, min(2, len(places)))
    name = w.fresh("function")
    change = w.pick(["t.mul_(0.5)", "t += 1", "t.sigmoid_()", "t[...] = 0.5", "t.copy_(t.tanh())"])
    if w.chance(0.6):
        w.emit(f"def {name}(*ts):")
        w.emit("    for t in ts:")
        w.emit(f"        {change}")
    else:
        w.emit(f"{name} = lambda *ts: [t.mul_(2) for t in ts][0]")
    w.emit(f"{name}({', '.join(p.text for p in chosen)})")
    return True


def context(w: Writer) -> bool:
    """`with nullcontext(y) as t: t += 1`."""
    place = _writable(w)
    if place is None or w.depth > 1:
        return False
    name = w.fresh("tensor")
    with w.block(f"with nullcontext({place.text}) as {name}:"):
        w.emit(w.pick([f"{name} += 1", f"{name}.mul_(2)", f"{name}.exp_()", f"{name}[...] *= 0.5"]))
        body(w, 1)
    return True


def chosen(w: Writer) -> bool:
    """A write in a conditional expression, an `and`, or a `while` header."""
    place = _writable(w)
    if place is None:
        return False
    name = w.fresh("tensor")
    y = place.text
    w.emit(f"{name} = {y}.mul_(2) if {condition(w)} else {w.pick([y, f'{y}.tanh()', f'{y}.add_(1)'])}")
    w.bind(name, place.kind, writable=False)
    return True


FORMS: dict[Callable[[Writer], bool], float] = {
    cases: 1, cell: 4, track: 3, produced: 1.5, comprehension: 2, walrus: 1.5, starred: 1.5, nested: 2,
    star_arguments: 1.5, context: 1, chosen: 1.5,
}  # fmt: skip
