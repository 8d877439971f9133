"""The state of a program that is being written: lines, scopes, names, random choices."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from generator.kinds import FLOAT, REAL, Function, Kind, Parameter, Place, Plain, Shape, Tensor
from generator.kinds import Sequence as SequenceKind

T = TypeVar("T")
NAMES = {
    "tensor": [
        "y",
        "z",
        "h",
        "u",
        "v",
        "s",
        "t",
        "p",
        "q",
        "r",
        "c",
        "e",
        "g",
        "k",
        "out",
        "hidden",
        "state",
        "feat",
        "scores",
        "probs",
        "logits",
        "acc",
        "base",
        "delta",
        "gate",
        "mix",
    ],
    "view": [
        "row",
        "col",
        "head",
        "tail",
        "part",
        "left",
        "right",
        "top",
        "flat",
        "window",
        "slot",
        "view",
        "piece",
        "rest",
    ],
    "mask": ["mask", "keep", "valid", "below", "above", "hot"],
    "index": ["idx", "order", "picks"],
    "list": ["xs", "parts", "steps", "outputs", "history", "pieces", "layers"],
    "dict": ["cache", "store", "table", "memory"],
    "object": ["holder", "box", "node"],
    "function": [
        "step",
        "shift",
        "scale_",
        "update",
        "mixin",
        "center_",
        "bump",
        "squash",
        "remember",
        "apply_gate",
        "norm_",
        "touch",
    ],
    "number": ["total", "level", "gain", "rate", "decay"],
    "int": ["count", "steps_done", "n_seen", "offset", "size"],
    "plain": ["names", "tags", "log", "counts", "bins", "shape_info", "stats"],
}

KEYWORDS = frozenset(["x", "w", "b", "run", "self", "torch", "F", "nn", "np", "i", "j", "n", "flag"])


class Writer:
    """Collects the source of one program and knows what every name holds where the next statement goes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rows, self.columns = rng.choice([(2, 3), (3, 2), (2, 3), (2, 2), (3, 4), (2, 4)])
        self.lines: list[str] = []
        self.indent = 0
        self.scopes: list[dict[str, Place]] = [{}]
        self.functions: list[Function] = []
        self.nonlocals: list[set[str]] = [set()]
        self.frames = [0]
        self.frame_count = 0
        self.taken: set[str] = set(KEYWORDS)
        self.bounds: dict[str, int] = {}
        self.depth = 0
        self.straight = True
        self.budget = 20
        self.weights: dict[str, float] = {}
        self.in_loop = False
        self.in_while = False
        self.iterated: list[str] = []
        self.may_return = True
        self.result: tuple[Tensor, ...] | None = None
        self.free_parameters = False
        self.used_box = False
        self.more = False
        self.memory_shape: Shape | None = None
        self.local_functions: list[str] = []
        self.real: dict[Callable[[Writer], bool], float] = {}
        self.preamble: list[str] = []
        self.defined: set[str] = set()
        self.must: tuple[str, ...] = ()
        self.pairs = False
        self.strided: Callable[[Writer, str], str] | None = None

    # -- random choices ---------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return self.rng.choice(choices)

    def fresh(self, group: str) -> str:
        """A name that isn't used yet."""
        pool = [name for name in NAMES[group] if name not in self.taken]
        if pool:
            name = self.pick(pool)
        else:
            stem = self.pick(NAMES[group])
            name = next(f"{stem}{number}" for number in range(2, 999) if f"{stem}{number}" not in self.taken)
        self.taken.add(name)
        return name

    def number(self) -> str:
        """A factor or summand."""
        return self.pick(["0.5", "2", "2.0", "1.5", "-1", "0.25", "3", "0.1", "1", "-0.5"])

    def entry(self) -> str:
        """An element of an input: not 0, where many functions have a kink."""
        return f"{self.pick(['', '-'])}{self.rng.uniform(0.02, 1.9):.3f}"

    # -- text -------------------------------------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self, header: str) -> Iterator[dict[str, Place]]:
        """An indented block with its own names; outer names keep their types in it."""
        self.emit(header)
        self.indent += 1
        self.depth += 1
        straight, self.straight = self.straight, False
        self.scopes.append({})
        size = len(self.lines)
        try:
            yield self.scopes[-1]
        finally:
            if len(self.lines) == size:
                self.emit("pass")
            self.scopes.pop()
            self.straight = straight
            self.depth -= 1
            self.indent -= 1

    @contextmanager
    def function(self, header: str, parameters: Sequence[Parameter], *, nested: bool = False) -> Iterator[None]:
        """The body of a function: outer names can be read if it is nested, none can be assigned."""
        outer = self.scopes, self.taken, self.in_loop, self.may_return, self.result, self.bounds, self.straight
        self.scopes = [*self.scopes, {}] if nested else [{}]
        self.taken = self.taken if nested else set(KEYWORDS)
        self.in_loop, self.may_return, self.straight = False, True, True
        self.bounds = {}
        self.frame_count += 1
        self.frames.append(self.frame_count)
        self.nonlocals.append(set())
        self.emit(header)
        self.indent += 1
        for parameter in parameters:
            self.taken.add(parameter.name)
            writable = parameter.written or not isinstance(parameter.kind, Tensor)
            self.scopes[-1][parameter.name] = Place(
                parameter.name, parameter.kind, writable, isinstance(parameter.kind, Tensor), True, self.frames[-1]
            )
        size = len(self.lines)
        try:
            yield
        finally:
            if len(self.lines) == size:
                self.emit("pass")
            self.indent -= 1
            self.frames.pop()
            self.nonlocals.pop()
            self.scopes, self.taken, self.in_loop, self.may_return, self.result, self.bounds, self.straight = outer

    # -- names ------------------------------------------------------------------------------------------------------

    def places(self, test: Callable[[Place], bool] = lambda place: True) -> list[Place]:
        """Everything that can be read here and passes the test; inner names hide outer ones."""
        seen: dict[str, Place] = {}
        for scope in self.scopes:
            seen.update(scope)
        return [place for place in seen.values() if test(place)]

    def tensors(
        self, shape: Shape | None = None, dtypes: Sequence[str] = REAL, *, writable: bool = False
    ) -> list[Place]:
        """Readable tensors of a shape (any: None) and one of the dtypes."""

        def test(place: Place) -> bool:
            kind = place.kind
            return (
                isinstance(kind, Tensor)
                and kind.dtype in dtypes
                and (shape is None or kind.shape == shape)
                and (place.writable or not writable)
            )

        return self.places(test)

    def recent(self, places: Sequence[Place]) -> Place | None:
        """One of the places, late ones more often."""
        if not places:
            return None
        return self.rng.choices(places, weights=[1 + index for index in range(len(places))])[0]

    def plains(self, word: str) -> list[Place]:
        """Readable values that are no tensors."""
        return self.places(lambda place: place.kind == Plain(word))

    def lookup(self, text: str) -> Place | None:
        """What a text refers to here."""
        return next((scope[text] for scope in reversed(self.scopes) if text in scope), None)

    def can_assign(self, place: Place) -> bool:
        """Whether `place = ...` and `place += ...` mean the same variable as reading it."""
        if not place.is_name:
            return "(" not in place.text
        return place.owner == self.frames[-1] or place.text in self.nonlocals[-1]

    def can_rebind(self, place: Place, kind: Kind) -> bool:
        """Whether a value of this kind may be assigned here: another one only to a name of this very block."""
        here = place.text in self.scopes[-1]
        return self.can_assign(place) and (kind == place.kind or (here and place.is_name))

    def bind(self, text: str, kind: Kind, value: str = "", **flags: bool) -> Place:
        """Note that a text now holds a value of this kind; `value` is what was assigned."""
        self.drop_parts(text)
        place = Place(text, kind, owner=self.frames[-1], **flags)
        if value and "grad" not in flags:
            place.grad = self.tracks(value)
        holder = next((scope for scope in reversed(self.scopes) if text in scope), None)
        if holder is None or holder is self.scopes[-1]:
            self.scopes[-1][text] = place
        else:  # a name from outside: what follows must live with either value
            old = holder[text]
            old.writable &= place.writable
            old.dense &= place.dense
            old.grad |= place.grad
            place = old
        return place

    def drop_parts(self, text: str) -> None:
        """Forget elements and attributes of something that is bound anew."""
        for scope in self.scopes:
            for key in [key for key in scope if key.startswith((f"{text}[", f"{text}."))]:
                del scope[key]

    def tracks(self, text: str) -> bool:
        """Whether autograd may track the value of an expression."""
        if ".detach()" in text or ("(" in text and any(function.text in text for function in self.functions)):
            return "(" in text and ".detach()" not in text
        words = set(re.findall(r"[A-Za-z_]\w*", text))
        return any(place.grad for place in self.places() if re.split(r"[.\[]", place.text)[0] in words)

    def touch(self, place: Place, value: str) -> None:
        """Note that a value was written into a place."""
        if isinstance(place.kind, Tensor) and place.kind.dtype in REAL and self.tracks(value):
            place.grad = True

    # -- kinds ------------------------------------------------------------------------------------------------------

    def shape(self) -> Shape:
        """A shape for something new."""
        rows, columns = self.rows, self.columns
        return self.pick(
            [(rows, columns)] * 6 + [(columns,)] * 4 + [(rows,)] * 2 + [()] + [(rows, 1), (1, columns), (columns, rows)]
        )

    def lists(self) -> list[Place]:
        """Readable lists and tuples of tensors."""
        return self.places(lambda place: isinstance(place.kind, SequenceKind))


@lru_cache(maxsize=4096)
def is_atom(text: str) -> bool:
    """Whether an expression can take a suffix or be an operand without parentheses."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, int | float) or text.isdigit()
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.List | ast.Dict | ast.ListComp)


def atom(text: str) -> str:
    """The expression, in parentheses where it needs them."""
    return text if is_atom(text) else f"({text})"


def sizes(shape: Shape) -> str:
    """The arguments of `torch.zeros` for a shape."""
    return ", ".join(map(str, shape)) if shape else "()"


def dtype_argument(dtype: str) -> str:
    """The `dtype=` of a constructor."""
    return {
        FLOAT: "",
        "double": ", dtype=torch.float64",
        "int": ", dtype=torch.int64",
        "byte": ", dtype=torch.uint8",
    }.get(dtype, ", dtype=torch.bool")
