"""Kinds of parameters, as their annotations and defaults give them, and of displays."""

from __future__ import annotations

import ast
import re

from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    DICT,
    LIST,
    MODULE,
    NONE,
    NUMBER,
    OTHER,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
)
from unplace.analysis.syntax.nodes import code_of

_TENSOR_NAMES = re.compile(
    r"(?:torch\.)?(?:Tensor|FloatTensor|LongTensor|BoolTensor|HalfTensor|DoubleTensor|IntTensor|ByteTensor)$"
)
_JAXTYPED = re.compile(
    r"(?:jaxtyping\.)?(?:Float|Int|Bool|Num|Shaped|Real|Complex|Inexact|UInt|Integer|Key|[A-Z]\w*\d)\[\s*(?:torch\.)?Tensor\b"
)
# Capitalised names of other classes, except names that may stand for anything, or for a tensor.
_CLASS = re.compile(r"(?!.*(?:Tensor|Array)|(?:Any|Number|Variable|Input|Output|Iterable|Iterator)$)[A-Z]\w*[a-z]\w*")
_SIMPLE = {
    "int": NUMBER,
    "float": NUMBER,
    "bool": NUMBER,
    "complex": NUMBER,
    "str": TEXT,
    "bytes": TEXT,
    "None": NONE,
    "Callable": CALLABLE,
    "np.ndarray": ARRAY,
    "numpy.ndarray": ARRAY,
    "ndarray": ARRAY,
    "NDArray": ARRAY,
}
_GENERIC = {
    "list": LIST,
    "List": LIST,
    "Sequence": LIST | TUPLE,
    "Iterable": UNKNOWN,
    "tuple": TUPLE,
    "Tuple": TUPLE,
    "dict": DICT,
    "Dict": DICT,
    "Mapping": DICT,
    "MutableMapping": DICT,
    "Callable": CALLABLE,
    "set": OTHER,
    "Set": OTHER,
    "type": CALLABLE,
    "Type": CALLABLE,
    "NDArray": ARRAY,
}


OF_DISPLAYS = {
    ast.List: LIST,
    ast.ListComp: LIST,
    ast.Tuple: TUPLE,
    ast.Dict: DICT,
    ast.DictComp: DICT,
    ast.Set: OTHER,
    ast.SetComp: OTHER,
    ast.GeneratorExp: OTHER,
}
"""The kinds of what brackets and braces make."""


def of_annotation(node: ast.expr | None) -> int:
    """Return the kinds that an annotation promises, or `UNKNOWN` if it isn't recognised."""
    if node is None:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            try:
                return of_annotation(ast.parse(node.value.strip(), mode="eval").body)
            except SyntaxError:
                return UNKNOWN
        return UNKNOWN
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return of_annotation(node.left) | of_annotation(node.right)
    text = code_of(node)
    if _TENSOR_NAMES.match(text) or _JAXTYPED.match(text):
        return TENSOR
    if text in _SIMPLE:
        return _SIMPLE[text]
    if isinstance(node, ast.Subscript):
        return _of_generic(node)
    name = text.rsplit(".", 1)[-1]
    if name in _GENERIC:
        return _GENERIC[name]
    if name in ("Parameter", "Buffer"):
        return TENSOR
    if name == "Module" or text.startswith("nn."):
        return MODULE
    return UNKNOWN


def of_instance(of: Class) -> int:
    """Return the kinds that an instance of a class of the run may have; what a tensor of its own kind does is open."""
    if of.is_module:
        return MODULE
    return UNKNOWN if of.is_tensor else OTHER


def names_a_class(node: ast.expr | None) -> bool:
    """Tell whether an annotation names a class that isn't known here, and so no tensor: `Boxes`, `Data | None`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return names_a_class(ast.parse(node.value.strip(), mode="eval").body)
        except SyntaxError:
            return False
    if isinstance(node, ast.BinOp):
        return names_a_class(node.left) or names_a_class(node.right)
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        is_choice = code_of(node.value).rsplit(".", 1)[-1] in ("Optional", "Union")
        return is_choice and any(names_a_class(part) for part in inner)
    if not isinstance(node, ast.Name | ast.Attribute) or of_annotation(node) != UNKNOWN:
        return False
    return _CLASS.fullmatch(code_of(node).rsplit(".", 1)[-1]) is not None


def _of_generic(node: ast.Subscript) -> int:
    name = code_of(node.value).rsplit(".", 1)[-1]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Optional":
        return of_annotation(inner[0]) | NONE
    if name == "Union":
        kinds = 0
        for part in inner:
            kinds |= of_annotation(part)
        return kinds
    if name in ("Annotated", "Final", "ClassVar"):
        return of_annotation(inner[0])
    return _GENERIC.get(name, UNKNOWN)


def of_default(node: ast.expr | None) -> int:
    """Return the kinds that a default value suggests for a parameter without annotation."""
    if node is None:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str | bytes):
            return TEXT
        if isinstance(node.value, bool | int | float | complex):
            return NUMBER | UNKNOWN if not isinstance(node.value, bool) else NUMBER
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return NUMBER | UNKNOWN
    if isinstance(node, ast.Tuple | ast.List):
        return LIST | TUPLE
    return UNKNOWN


def of_default_elements(node: ast.expr | None) -> int:
    """Return the kinds of the elements of a default such as `[0]`, or `UNKNOWN` for anything but numbers."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    return NUMBER if parts and all(of_default(part) & NUMBER for part in parts) else UNKNOWN


def of_elements(node: ast.expr | None) -> int:
    """Return the kinds of the elements of an annotated sequence or mapping, or `UNKNOWN` for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return of_elements(ast.parse(node.value.strip(), mode="eval").body)
        except SyntaxError:
            return UNKNOWN
    if not isinstance(node, ast.Subscript):
        return UNKNOWN
    name = code_of(node.value).rsplit(".", 1)[-1]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Optional":
        return of_elements(inner[0])
    if not _GENERIC.get(name, 0) & (LIST | TUPLE | DICT):
        return UNKNOWN
    kinds = 0
    for part in inner[1:] if _GENERIC[name] == DICT else inner:
        if not (isinstance(part, ast.Constant) and part.value is Ellipsis):
            kinds |= of_annotation(part)
    return kinds


def numbers_in(node: ast.expr | None) -> int | None:
    """Return how deep an annotation nests sequences of numbers alone, 2 for `list[list[int]]`; None for others."""
    if node is None or not of_annotation(node) & ~(NUMBER | NONE):
        return None if node is None else 0
    if not isinstance(node, ast.Subscript) or not _of_generic(node) & (LIST | TUPLE):
        return None
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    parts = [part for part in inner if not (isinstance(part, ast.Constant) and part.value is Ellipsis)]
    depths = {numbers_in(part) for part in parts}
    depth = depths.pop() if len(depths) == 1 else None
    return None if depth is None else depth + 1
