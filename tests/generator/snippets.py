"""What the forms of real code share: a tensor to work on, a write, definitions in front of the program."""

from __future__ import annotations

from textwrap import dedent

from generator.expressions import fresh
from generator.kinds import FLOAT, Shape, Tensor
from generator.writer import Writer, atom

SAVED = ("torch.sigmoid({})", "torch.tanh({})", "{}.exp()", "torch.relu({})", "{} * 2", "{} + 1", "{}.softmax(-1)")
METHODS = ("mul_(2)", "add_(1)", "exp_()", "tanh_()", "relu_()", "clamp_(-1, 1)", "sub_(0.5)", "mul_(0.5).add_(1)")
STATEMENTS = ("{t} += 1", "{t} *= 2", "{t} -= 0.5", "{t} /= 2", "{t} *= {t}")
STORES = ("{t}[0] = 0.5", "{t}[...] *= 0.5", "{t}[-1] += 1", "{t}[0].mul_(2)", "{t}[{t} > 0.2013] = 0.1")


def emit(w: Writer, text: str) -> None:
    """Add lines at the current indentation."""
    for line in dedent(text).strip("\n").splitlines():
        w.emit(line)


def method(w: Writer, target: str) -> str:
    """`y.mul_(2)`: a write that is an expression."""
    return f"{target}.{w.pick(METHODS)}"


def change(w: Writer, target: str, *, assigns: bool = True, stores: bool = True) -> str:
    """A write to a tensor; `assigns`: `+=` may bind the name, `stores`: it has a first element."""
    roll = w.rng.random()
    if assigns and roll < 0.4:
        return w.pick(STATEMENTS).format(t=target)
    if stores and roll < 0.6:
        return w.pick(STORES).format(t=target)
    return method(w, target)


def made(w: Writer, shape: Shape | None = None) -> str:
    """The name of a new tensor, which backward often needs."""
    shape = (w.rows, w.columns) if shape is None else shape
    name, source = w.fresh("tensor"), atom(fresh(w, shape, depth=0).text)
    text = w.pick(SAVED if shape else SAVED[:-1]).format(source)
    is_strided = w.strided is not None and len(shape) == 2 and w.chance(0.4)
    if w.strided is not None and is_strided:
        text = w.strided(w, f"({text})")
    w.emit(f"{name} = {text}")
    w.bind(name, Tensor(shape), text, dense=not is_strided)
    return name


def given(w: Writer, shape: Shape | None = None) -> str:
    """The name of a tensor of this shape that can be written and bound here: known or new."""
    shape = (w.rows, w.columns) if shape is None else shape
    known = [p for p in w.tensors(shape, (FLOAT,), writable=True) if p.is_name and w.can_assign(p)]
    place = w.recent(known)
    return place.text if place is not None and w.chance(0.6) else made(w, shape)


def result(w: Writer, text: str, shape: Shape | None = None, *, writable: bool = False) -> str:
    """Bind a new name to an expression."""
    name = w.fresh("tensor")
    w.emit(f"{name} = {text}")
    w.bind(name, Tensor((w.rows, w.columns) if shape is None else shape), text, writable=writable, dense=False)
    return name


def watch(w: Writer, *names: str) -> None:
    """Names that the program returns more often than others."""
    w.must += names


def define(w: Writer, stem: str, text: str) -> str:
    """Put a definition in front of the program: `NAME` in its text is the name that it gets."""
    name = next(f"{stem}{number or ''}" for number in range(999) if f"{stem}{number or ''}" not in w.defined)
    w.defined.add(name)
    w.preamble += [*dedent(text).replace("NAME", name).strip("\n").splitlines(), "", ""]
    return name
