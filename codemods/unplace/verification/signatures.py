"""Makes arguments for a function from its signature: annotations (jaxtyping's shapes among them) and defaults."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

Shape = tuple[int, ...]

SHAPES: tuple[Shape, ...] = ((4, 4), (2, 3, 8, 8), (2, 4, 4), (4,))
"""The shapes that are tried, in this order, for tensors whose annotation gives none."""

SIZES = (2, 3, 4, 5, 6, 7)
"""The sizes of the named axes of shapes, in the order in which the names are met."""

DTYPES = {
    "Bool": torch.bool,
    "BoolTensor": torch.bool,
    "Int": torch.int64,
    "Integer": torch.int64,
    "UInt": torch.uint8,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "Complex": torch.complex64,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16": torch.bfloat16,
} | {f"Int{bits}": getattr(torch, f"int{bits}") for bits in (8, 16, 32, 64)} | {
    f"Float{bits}": getattr(torch, f"float{bits}") for bits in (16, 32, 64)
}  # fmt: skip
FLOATING = frozenset({"Tensor", "FloatTensor", "Float", "Inexact", "Num", "Real", "Shaped"})
NUMBERS: dict[str, object] = {"int": 2, "float": 0.5, "bool": False, "complex": 0.5 + 0.5j}
SEQUENCES = frozenset({"list", "List", "Sequence", "Iterable"})


class NoValueError(Exception):
    """Raised where no value can be made for a parameter; the message says for which one, and why."""


@dataclass(slots=True)
class Invention:
    """One way to make arguments.

    A tensor whose shape isn't annotated gets `shape`; one whose dtype isn't annotated either holds integers below
    `below`, if that is given. `requires_grad` is for floating-point tensors. `sizes` are those of the named axes, the
    same for all arguments of a call.
    """

    shape: Shape
    below: int | None = None
    requires_grad: bool = True
    sizes: dict[str, int] = field(default_factory=dict)

    def arguments(self, function: Callable[..., object]) -> tuple[tuple[object, ...], dict[str, object]]:
        """Make positional arguments and keywords for all parameters without a default.

        Raises `NoValueError` where an annotation is no type that a value can be made for.
        """
        positional: list[object] = []
        keywords: dict[str, object] = {}
        for parameter in required(function):
            value = self._value(parameter)
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                keywords[parameter.name] = value
            else:
                positional.append(value)
        return tuple(positional), keywords

    def _value(self, parameter: inspect.Parameter) -> object:
        if parameter.annotation is inspect.Parameter.empty:
            return self._guess()
        text = inspect.formatannotation(parameter.annotation)
        try:
            return self._of(ast.parse(text.strip("'\""), mode="eval").body)
        except (NoValueError, SyntaxError):
            raise NoValueError(f"nothing tells what `{parameter.name}: {text}` should be") from None

    def _of(self, node: ast.expr) -> object:
        """Make a value for an annotation."""
        match node:
            case ast.Constant(value=str(text)):
                return self._of(ast.parse(text, mode="eval").body)
            case ast.BinOp(left=left, op=ast.BitOr()):
                return self._of(left)
            case ast.Name() | ast.Attribute():
                return self._named(_last_name(node))
            case ast.Subscript(value=head, slice=inner):
                return self._generic(_last_name(head), inner.elts if isinstance(inner, ast.Tuple) else [inner])
        raise NoValueError

    def _named(self, name: str) -> object:
        if name in NUMBERS:
            return NUMBERS[name]
        if name == "Tensor":
            return self._guess()
        if name in DTYPES or name in FLOATING:
            return self._tensor(self.shape, DTYPES.get(name))
        raise NoValueError

    def _generic(self, name: str, inner: Sequence[ast.expr]) -> object:
        if name in DTYPES or name in FLOATING:
            match inner:
                case [_, ast.Constant(value=str(axes))]:
                    return self._tensor(tuple(self._axes(axes)), DTYPES.get(name))
        elif name in SEQUENCES:
            return [self._of(inner[0]), self._of(inner[0])]
        elif name in ("tuple", "Tuple"):
            return tuple(self._of(node) for node in inner if not isinstance(node, ast.Constant))
        elif name in ("Optional", "Union", "Annotated"):
            return self._of(inner[0])
        raise NoValueError

    def _axes(self, axes: str) -> Iterator[int]:
        """Yield the sizes that a shape in jaxtyping's notation, such as `batch 3 #h w=8 h*w ...`, stands for."""
        for axis in axes.split():
            name = axis.lstrip("#?*").rsplit("=", 1)[-1]
            if name in ("...", ""):
                continue
            if re.fullmatch(r"[A-Za-z_]\w*", name):
                yield self.sizes.setdefault(name, SIZES[len(self.sizes) % len(SIZES)])
            else:
                yield self._computed(name)

    def _computed(self, formula: str) -> int:
        try:
            return int(eval(formula.strip("{}"), {"__builtins__": {}}, self.sizes))
        except Exception:
            raise NoValueError from None

    def _guess(self) -> torch.Tensor:
        return self._tensor(self.shape, None) if self.below is None else torch.randint(self.below, self.shape)

    def _tensor(self, shape: Shape, dtype: torch.dtype | None) -> torch.Tensor:
        if dtype is torch.bool:
            return torch.rand(shape) > 0.5
        if dtype is not None and not dtype.is_floating_point and not dtype.is_complex:
            return torch.randint(2, shape, dtype=dtype)
        return torch.randn(shape, dtype=dtype).requires_grad_(self.requires_grad)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def required(function: Callable[..., object]) -> list[inspect.Parameter]:
    """Return the parameters of a function that have no default."""
    fixed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.kind not in fixed and p.default is inspect.Parameter.empty]


def inventions(function: Callable[..., object]) -> Iterator[Invention]:
    """Yield ways to make arguments, in the order to try them: shapes that fit a module's first layer come first."""
    told: list[tuple[Shape, int | None]] = []
    if isinstance(function, torch.nn.Module):
        told = next((shapes for module in function.modules() if (shapes := _fitting(module))), [])
    for shape, below in [*told, *((shape, None) for shape in SHAPES)]:
        for requires_grad in (True, False):
            yield Invention(shape, below, requires_grad)


def _fitting(module: Any) -> list[tuple[Shape, int | None]]:
    """Return the shapes that a layer takes, each with the bound of the integers in it (None: it takes floats)."""
    nn = torch.nn
    match module:
        case nn.Linear():
            return [((2, module.in_features), None), ((2, 3, module.in_features), None)]
        case nn.Embedding():
            return [((2, 4), module.num_embeddings)]
        case nn.Conv1d() | nn.Conv2d() | nn.Conv3d():
            axes = len(module.kernel_size)
            return [((2, module.in_channels, *[size] * axes), None) for size in (8, 32, 224)]
        case nn.LayerNorm():
            return [((2, 3, *module.normalized_shape), None)]
        case nn.RNNBase():
            return [((2, 3, module.input_size), None)]
        case nn.BatchNorm1d() | nn.BatchNorm2d():
            return [((2, module.num_features, *rest), None) for rest in ((), (4,), (4, 4))]
    return []
