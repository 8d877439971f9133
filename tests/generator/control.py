"""Loops, branches, `try`, `with`, early returns: blocks of other statements."""

from __future__ import annotations

from generator.expressions import value
from generator.kinds import REAL, Plain, Sequence, Table, Tensor
from generator.writer import Writer


def body(w: Writer, most: int = 3) -> None:
    """A few statements, with what the block around them allows."""
    from generator.statements import statement

    for _ in range(w.rng.randint(1, most)):
        statement(w)


def condition(w: Writer) -> str:
    """Something that decides a branch."""
    flag = w.recent(w.plains("flag"))
    counters = [text for text in w.bounds if w.lookup(text)]
    if counters and w.chance(0.5):
        return f"{w.pick(counters)} {w.pick(['% 2 == 0', '> 0', '== 1', '== 0', '< 1'])}"
    if flag is not None and w.chance(0.7):
        return w.pick(["", "not "]) + flag.text
    known = w.recent(w.tensors())
    if known is not None and w.chance(0.8):
        number = w.pick(["sum()", "mean()", "detach().sum()"])
        return f"{known.text}.{number} {w.pick(['>', '<'])} {w.pick(['0.1337', '0.9041', '-0.4013'])}"
    return w.pick(["torch.is_grad_enabled()", "True"])


def branch(w: Writer) -> bool:
    """`if`, `elif`, `else`."""
    if w.depth > 3:
        return False
    with w.block(f"if {condition(w)}:"):
        body(w)
        if w.depth > 1 and w.chance(0.2) and w.in_loop:
            w.emit("break" if w.in_while else w.pick(["continue", "break"]))
    if w.chance(0.2):
        with w.block(f"elif {condition(w)}:"):
            body(w)
    if w.chance(0.45):
        with w.block("else:"):
            body(w)
    return True


def loop(w: Writer) -> bool:
    """`for i in range(n)`, with `else` now and then."""
    if w.depth > 2:
        return False
    counter = next((name for name in ("i", "j") if name not in w.bounds), None)
    if counter is None:
        return False
    bound = w.rng.randint(2, min(w.rows, 3))
    header = w.pick([f"for {counter} in range({bound}):"] * 3 + [f"for {counter}, _ in enumerate([0] * {bound}):"])
    with _counted(w, counter, bound, header):
        body(w, 4)
    if w.chance(0.08):
        with w.block("else:"):
            body(w, 1)
    return True


class _counted:  # noqa: N801 - a context manager that reads like a function
    """A block in which a counter runs below a bound."""

    def __init__(self, w: Writer, counter: str, bound: int, header: str) -> None:
        self.w, self.counter, self.bound, self.context = w, counter, bound, w.block(header)

    def __enter__(self) -> None:
        self.context.__enter__()
        self.outer = self.w.in_loop
        self.w.in_loop = True
        self.w.bounds[self.counter] = self.bound
        self.w.bind(self.counter, Plain("int"), grad=False)

    def __exit__(self, *details: object) -> None:
        self.w.in_loop = self.outer
        del self.w.bounds[self.counter]
        self.context.__exit__(None, None, None)


def while_loop(w: Writer) -> bool:
    """`while n < 3: ...; n += 1`."""
    if w.depth > 1:
        return False
    name = w.fresh("int")
    w.emit(f"{name} = 0")
    outer, w.in_while = w.in_while, True
    with _counted(w, name, 2, f"while {name} < 2:"):
        body(w)
        w.emit(f"{name} += 1")
    w.in_while = outer
    return True


def each(w: Writer) -> bool:
    """`for row in y`, `for t in xs`, `for i, t in enumerate(xs)`, `... in zip(xs, ys)`, `for k, v in d.items()`."""
    if w.depth > 2:
        return False
    holders = w.places(lambda p: isinstance(p.kind, Sequence | Table))
    rows = w.places(lambda p: isinstance(p.kind, Tensor) and len(p.kind.shape) == 2 and p.kind.dtype in REAL)
    holder = w.recent(holders) if holders and w.chance(0.65) else w.recent(rows)
    if holder is None:
        return False
    kind, writable = holder.kind, holder.writable
    name = w.fresh("tensor")
    bindings: dict[str, Tensor] = {}
    if isinstance(kind, Table):
        key = w.fresh("plain")
        header = w.pick([f"for {key}, {name} in {holder.text}.items():", f"for {name} in {holder.text}.values():"])
        bindings[name] = kind.element
    else:
        element = kind.element if isinstance(kind, Sequence) else Tensor(kind.shape[1:], kind.dtype)  # type: ignore[union-attr]
        if isinstance(kind, Tensor):
            writable &= not holder.grad or w.chance(0.15)
        bindings[name] = element
        header, extra = _iteration(w, name, holder.text, element)
        bindings |= extra
    with w.block(header):
        outer, w.in_loop = w.in_loop, True
        w.iterated.append(holder.text)
        for text, element in bindings.items():
            w.bind(text, element, holder.text, writable=writable, dense=False)
        body(w, 4)
        w.iterated.pop()
        w.in_loop = outer
    return True


def _iteration(w: Writer, name: str, holder: str, element: Tensor) -> tuple[str, dict[str, Tensor]]:
    roll = w.rng.random()
    if roll < 0.5:
        return f"for {name} in {holder}:", {}
    if roll < 0.75:
        return f"for {w.fresh('int')}, {name} in enumerate({holder}):", {}
    others = [p for p in w.lists() if isinstance(p.kind, Sequence) and p.kind.length > 0 and p.text != holder]
    if others and (other := w.pick(others)) and isinstance(other.kind, Sequence):
        second = w.fresh("tensor")
        w.emit(f"# {holder} beside {other.text}")
        return f"for {name}, {second} in zip({holder}, {other.text}):", {
            second: other.kind.element
        } if other.writable else {}
    return f"for {name} in reversed(list({holder})):", {}


def attempt(w: Writer) -> bool:
    """`try`, `except`, `else`, `finally`."""
    if w.depth > 1:
        return False
    with w.block("try:"):
        body(w, 2)
        if w.chance(0.5):
            w.emit(f"if {condition(w)}:")
            w.emit('    raise ValueError("stop")')
            body(w, 1)
    with w.block("except ValueError:"):
        body(w, 2)
    if w.chance(0.2):
        with w.block("else:"):
            body(w, 1)
    if w.chance(0.35):
        with w.block("finally:"):
            body(w, 1)
    return True


def grad_mode(w: Writer) -> bool:
    """`with torch.no_grad():` and its relatives."""
    if w.depth > 1:
        return False
    if w.chance(0.15):
        name, source = w.fresh("tensor"), w.recent(w.tensors())
        if source is None:
            return False
        level = w.fresh("number")
        w.emit("with torch.inference_mode():")
        w.emit(f"    {name} = {source.text}.detach() * 2")
        w.emit(f"    {name} += 1")
        w.emit(f"    {level} = {name}.mean().item()")
        w.bind(level, Plain("number"), grad=False)
        return True
    header = w.pick(["with torch.no_grad():"] * 3 + ["with torch.enable_grad():", "with torch.set_grad_enabled(True):"])
    with w.block(header):
        body(w, 2)
    return True


def early_return(w: Writer) -> bool:
    """`if ...: return ...`."""
    if w.in_loop and w.chance(0.6):
        return False
    if not w.may_return:
        return False
    with w.block(f"if {condition(w)}:"):
        if w.chance(0.4):
            body(w, 1)
        w.emit(f"return {returned(w)}")
    return True


def returned(w: Writer) -> str:
    """What a function returns: its result kind where that is fixed, otherwise a choice of what it has."""
    if w.result is not None:
        return ", ".join(value(w, kind.shape, kind.dtype, 1).text for kind in w.result)
    names = [
        p for p in w.places(lambda p: isinstance(p.kind, Tensor | Sequence | Table | Plain)) if p.owner == w.frames[-1]
    ]
    names = [p for p in names if p.text not in w.bounds and p.kind not in (Plain("flag"), Plain("index"))]
    made = w.rng.sample(names, min(len(names), w.rng.randint(1, 5)))
    parts = [p.text for p in made]
    if w.chance(0.7) and (tensors := [p for p in names if isinstance(p.kind, Tensor) and p.kind.dtype in REAL]):
        parts.append(value(w, w.pick(tensors).kind.shape, depth=2).text)  # type: ignore[union-attr]
    parts += [
        name
        for name in dict.fromkeys(w.must)
        if w.lookup(name) and name not in parts and w.chance(0.5 if w.strided is None else 0.9)
    ]
    if w.chance(0.1):
        return "{" + ", ".join(f'"{number}": {part}' for number, part in enumerate(parts)) + "}"
    return ", ".join(parts) or "None"
