"""Evidence for what a parameter is: annotations, defaults, and how it is used."""

from __future__ import annotations

import ast
import re
from functools import cache

from unplace import torchapi
from unplace.analysis.values import (
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

# Attributes that NumPy arrays or builtin containers have too: using one says nothing about tensors.
_SHARED = frozenset(
    [
        "T",
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "astype",
        "base",
        "byteswap",
        "choose",
        "clip",
        "compress",
        "conj",
        "conjugate",
        "copy",
        "ctypes",
        "cumprod",
        "cumsum",
        "data",
        "device",
        "diagonal",
        "dot",
        "dtype",
        "dump",
        "dumps",
        "fill",
        "flags",
        "flat",
        "flatten",
        "getfield",
        "imag",
        "item",
        "itemset",
        "itemsize",
        "mT",
        "max",
        "mean",
        "min",
        "nbytes",
        "ndim",
        "newbyteorder",
        "nonzero",
        "partition",
        "prod",
        "ptp",
        "put",
        "ravel",
        "real",
        "repeat",
        "reshape",
        "resize",
        "round",
        "searchsorted",
        "setfield",
        "setflags",
        "shape",
        "size",
        "sort",
        "squeeze",
        "std",
        "strides",
        "sum",
        "swapaxes",
        "take",
        "to_device",
        "tobytes",
        "tofile",
        "tolist",
        "tostring",
        "trace",
        "transpose",
        "var",
        "view",
        "append",
        "clear",
        "count",
        "extend",
        "index",
        "insert",
        "pop",
        "remove",
        "reverse",
        "get",
        "items",
        "keys",
        "popitem",
        "setdefault",
        "update",
        "values",
        "add",
        "discard",
        "difference",
        "intersection",
        "union",
        "split",
        "join",
        "format",
        "replace",
        "strip",
        "lower",
        "upper",
        "numerator",
        "denominator",
        "bit_length",
        "is_integer",
        "hex",
        "name",
        "type",
        "map",
        "apply",
        "norm",
        "to",
        "cpu",
        "half",
        "double",
        "float",
        "int",
        "long",
        "short",
        "bool",
        "char",
        "byte",
        "cuda",
        "eval",
        "train",
        "get_device",
        "names",
        "is_shared",
        "share_memory_",
        "requires_grad_",
        "register_hook",
        "exp",
        "log",
        "sin",
        "cos",
        "sqrt",
        "abs",
        "log1p",
        "expm1",
        "where",
        "select",
        "filter",
        "copy_",
        "cat",
        "stack",
        "numpy",
    ]
)


# Methods that take no argument: so called, neither arrays nor containers have them (`logger.log(...)` takes some).
_ELEMENTWISE = frozenset(["exp", "log", "sin", "cos", "sqrt", "abs", "log1p", "expm1"])


def is_tensor_call(node: ast.Call) -> bool:
    """Whether a method call is one that only tensors answer: `x.sigmoid()`, `x.exp()`, `x.size(0)`, `x.sum(dim=1)`."""
    if not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    if name in _ELEMENTWISE:
        return not node.args and not node.keywords
    if name == "size":  # an array's size is no function
        return True
    named = any(k.arg in ("dim", "keepdim") for k in node.keywords) and torchapi.tensor_method(name) is not None
    return named or is_tensor_only(name)


@cache
def is_attribute_of_tensor(name: str) -> bool:
    """Whether tensors have an attribute or method of this name."""
    return name.startswith("_") or _is_member(name)


@cache
def is_tensor_only(name: str) -> bool:
    """Whether an attribute is one that tensors have and arrays, containers and the like don't."""
    return name not in _SHARED and not name.startswith("__") and _is_member(name)


def _is_member(name: str) -> bool:
    tables = (torchapi.tensor_method, torchapi.tensor_attribute, torchapi.inplace_method)
    return any(table(name) is not None for table in tables)


_TENSOR_NAMES = re.compile(
    r"(?:torch\.)?(?:Tensor|FloatTensor|LongTensor|BoolTensor|HalfTensor|DoubleTensor|IntTensor|ByteTensor)$"
)
_JAXTYPED = re.compile(
    r"(?:jaxtyping\.)?(?:Float|Int|Bool|Num|Shaped|Real|Complex|Inexact|UInt|Integer|Key|[A-Z]\w*\d)\[\s*(?:torch\.)?Tensor\b"
)
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


def of_annotation(node: ast.expr | None) -> int:
    """The kinds that an annotation promises; `UNKNOWN` where it says nothing that is known here."""
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
    text = ast.unparse(node)
    if _TENSOR_NAMES.match(text) or _JAXTYPED.match(text):
        return TENSOR
    if text in _SIMPLE:
        return _SIMPLE[text]
    if isinstance(node, ast.Subscript):
        return _of_generic(node)
    name = text.rsplit(".", 1)[-1]
    if name in _GENERIC:
        return _GENERIC[name]
    if name == "Module" or text.startswith("nn."):
        return MODULE
    return UNKNOWN


def _of_generic(node: ast.Subscript) -> int:
    name = ast.unparse(node.value).rsplit(".", 1)[-1]
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
    """The kinds that a default value suggests for a parameter without annotation."""
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


def of_elements(node: ast.expr | None) -> int:
    """The kinds of the elements of an annotated sequence or mapping; `UNKNOWN` for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return of_elements(ast.parse(node.value.strip(), mode="eval").body)
        except SyntaxError:
            return UNKNOWN
    if not isinstance(node, ast.Subscript):
        return UNKNOWN
    name = ast.unparse(node.value).rsplit(".", 1)[-1]
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
