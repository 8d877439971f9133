"""Statements that look like in-place tensor operations and aren't: numbers, lists, dicts, strings, arrays, shapes."""

from __future__ import annotations

from generator.kinds import Place, Plain
from generator.writer import Writer

STARTS = {
    "int": ("0", "1", "len({x})", "{x}.dim()"),
    "number": ("0.0", "1.0", "0.5"),
    "str": ('""', '"log"'),
    "numbers": ("[]", "[0, 1, 2]", "[0] * 4"),
    "counts": ("{}", '{"seen": 0}'),
    "array": ("np.zeros(3)", "np.arange(4.0)", "np.ones((2, 3))"),
    "shape": ("list({x}.shape)",),
}
STEPS = {
    "int": ("{v} += 1", "{v} -= 1", "{v} *= 2", "{v} |= 4", "{v} <<= 1"),
    "number": ("{v} += 0.5", "{v} *= 0.9", "{v} /= 2", "{v} **= 2", "{v} -= 1"),
    "str": ('{v} += "a"', "{v} += str({n})", "{v} *= 2"),
    "numbers": ("{v} += [{n}]", "{v}.append({n})", "{v}.extend([1, 2])"),
    "counts": ('{v}["seen"] = {v}.get("seen", 0) + 1', '{v}.setdefault("k", []).append({n})', '{v} |= {{"z": {n}}}'),
    "array": ("{v} += 1", "{v}[{v} > 0.5] = 0", "{v} *= 2", "{v}[0] += 3", "{v}.fill(1.5)", "{v}[1:] = 0"),
    "shape": ("{v}[0] *= 2", "{v} += [1]", "{v}[-1] -= 1"),
}


def start(w: Writer) -> bool:
    """Bind a name to something that is no tensor."""
    word = w.pick(list(STARTS))
    tensor = w.recent([p for p in w.tensors() if getattr(p.kind, "shape", ())])
    if tensor is None:
        return False
    name = w.fresh(word if word in ("int", "number") else "plain")
    w.emit(
        f"{name} = {w.pick(STARTS[word]).format(x=tensor.text)}"
        if "{x}" in "".join(STARTS[word])
        else f"{name} = {w.pick(STARTS[word])}"
    )
    w.bind(name, Plain(word), grad=False)
    step(w, name)
    return True


def step(w: Writer, name: str = "") -> bool:
    """Change one of them in place."""
    known = w.places(lambda p: isinstance(p.kind, Plain) and p.kind.word in STEPS and p.text not in w.bounds)
    place: Place | None = w.lookup(name) if name else w.recent([p for p in known if w.can_assign(p)])
    if place is None or not isinstance(place.kind, Plain):
        return False
    counter = next((text for text in w.bounds if w.lookup(text)), "3")
    w.emit(w.pick(STEPS[place.kind.word]).format(v=place.text, n=counter))
    return True


def use(w: Writer) -> bool:
    """Let a number take part: `y = y * total`, or make one from a tensor."""
    number = w.recent(w.plains("number") + [p for p in w.plains("int") if p.text not in w.bounds])
    tensor = w.recent(w.tensors())
    if tensor is None:
        return False
    if number is not None and w.chance(0.6):
        name = w.fresh("tensor")
        w.emit(f"{name} = {tensor.text} * {number.text}")
        w.bind(name, tensor.kind, tensor.text, dense=tensor.dense)
        return True
    name = w.fresh("number")
    if w.chance(0.3):
        w.emit(f"{name} = 0")
        w.emit(f"{name} += {tensor.text}.mean()")
        return True
    w.emit(f"{name} = {tensor.text}.detach().sum().item()")
    w.bind(name, Plain("number"), grad=False)
    return True
