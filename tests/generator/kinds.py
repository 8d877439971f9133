"""The little type system that keeps generated programs running: what a name holds, shapes and dtypes of tensors."""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, ...]

FLOAT, DOUBLE, INT, BYTE, BOOL = "float", "double", "int", "byte", "bool"
"""`float` is torch's default dtype, so that a program can run in float64 as a whole; `double` is always float64."""

REAL = (FLOAT, DOUBLE)
RANK = {BOOL: 0, BYTE: 1, INT: 2, FLOAT: 3, DOUBLE: 4}
DTYPES = {DOUBLE: "torch.float64", INT: "torch.int64", BYTE: "torch.uint8", BOOL: "torch.bool"}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor."""

    shape: Shape
    dtype: str = FLOAT


@dataclass(frozen=True, slots=True)
class Plain:
    """A value that is no tensor: `int`, `number`, `flag`, `str`, `numbers` (a list), `counts` (a dict), `array`."""

    word: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list or tuple of at least `length` tensors of one type."""

    element: Tensor
    length: int
    mutable: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A dict from names to tensors of one type."""

    element: Tensor
    keys: tuple[str, ...]


Kind = Tensor | Plain | Sequence | Table


@dataclass(slots=True)
class Place:
    """Something that can be read, by its source text: a name, an attribute, an element.

    `writable`: in-place operations on it may run. `dense`: `.view()` may run. `grad`: autograd may track it.
    `owner` is the function (by number) whose local it is.
    """

    text: str
    kind: Kind
    writable: bool = True
    dense: bool = True
    grad: bool = True
    owner: int = 0

    @property
    def is_name(self) -> bool:
        """Whether it is a plain name."""
        return self.text.isidentifier()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a generated function; `written` says that the function may write to it."""

    name: str
    kind: Kind
    written: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function that can be called by this text; `shares` says that its result may be (a view of) a parameter."""

    text: str
    parameters: tuple[Parameter, ...]
    result: tuple[Tensor, ...]
    shares: bool = False
    dense: bool = True


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The common shape of two operands, None where they don't fit."""
    width = max(len(a), len(b))
    pairs = list(zip((1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b, strict=True))
    if any(x != y and 1 not in (x, y) for x, y in pairs):
        return None
    return tuple(max(x, y) if 0 not in (x, y) else 0 for x, y in pairs)


def fits(operand: Shape, target: Shape) -> bool:
    """Whether an operand of this shape leaves the shape of the target as it is."""
    return broadcast(operand, target) == target


def promote(a: Tensor, b: Tensor) -> str:
    """The dtype of an arithmetic result."""
    first, second = (a, b) if RANK[a.dtype] >= RANK[b.dtype] else (b, a)
    same_category = (first.dtype in REAL) == (second.dtype in REAL) and BOOL not in (first.dtype, second.dtype)
    if same_category and first.shape == () and second.shape != ():
        return second.dtype
    return first.dtype


def element_of(kind: Kind) -> Tensor | None:
    """What iterating over a value gives, or None."""
    match kind:
        case Sequence(element=element) | Table(element=element):
            return element
        case Tensor(shape=(_, *rest), dtype=dtype):
            return Tensor(tuple(rest), dtype)
    return None
