"""Dtype tokens: names for dtypes that the source doesn't state, and the rules by which two of them combine.

A token stands for one dtype, whichever it is. A token can be derived from a token `t`: `("float", t)` is the dtype of a
true quotient of a tensor of dtype `t`, `("lowered", t)` the dtype of an operation that autocast runs in its low
precision, and `("raised", t)` the dtype of an operation that autocast runs in float32. Without autocast, the last two
are `t` itself.
"""

from __future__ import annotations

from unplace.analysis.domain.values import FLOATS, INTEGERS, NONE, NUMBER, Obj, Token, Value

_PLAIN = 1
_RANKS = {"lowered": 0, "float": _PLAIN, "raised": 2}
_NARROW = ("float16", "bfloat16", "int8", "uint8", "int16", "int32")
_WIDTHS = {
    "int8": 8,
    "uint8": 8,
    "int16": 16,
    "int32": 32,
    "int64": 64,
    "float16": 16,
    "bfloat16": 16,
    "float32": 32,
    "float64": 64,
}


def floating(dtype: Token) -> Token:
    """Return the dtype of `x / y`, where `x` has this dtype and `y` isn't wider."""
    return dtype if dtype is None or dtype in FLOATS or is_floating(dtype) else ("float", dtype)


def lowered(dtype: Token) -> Token:
    """Return the dtype of the result of an operation that autocast runs in its low precision."""
    return None if dtype is None else ("lowered", _origin(dtype))


def raised(dtype: Token) -> Token:
    """Return the dtype of the result of an operation that autocast runs in float32 and that widens narrow integers."""
    return dtype if dtype is None or isinstance(dtype, str) else ("raised", _origin(dtype))


def is_floating(dtype: Token) -> bool:
    """Tell whether a dtype is certainly a floating point dtype."""
    return dtype in FLOATS or (isinstance(dtype, tuple) and dtype[0] in ("float", "lowered"))


def is_raised(dtype: Token) -> bool:
    """Tell whether a dtype is that of an operation which autocast runs in float32."""
    return isinstance(dtype, tuple) and dtype[0] == "raised"


def is_complex(dtype: Token) -> bool:
    """Tell whether a dtype is certainly a complex one."""
    return isinstance(dtype, str) and dtype.startswith("complex")


def _origin(dtype: Token) -> Token:
    """Return the token that a token is derived from in the end: `t` for `("float", ("raised", t))`."""
    while isinstance(dtype, tuple) and len(dtype) == 2 and dtype[0] in _RANKS:
        dtype = dtype[1]
    return dtype


def parameter_of(dtype: Token) -> str | None:
    """Return the parameter of the function on whose dtype a dtype depends, if it is one."""
    origin = _origin(dtype)
    return origin.parameter if isinstance(origin, Obj) else None


def _rank(dtype: Token) -> int:
    """Return the rank of a token among those of the same origin; a wider dtype never ranks lower."""
    return _RANKS.get(dtype[0], _PLAIN) if isinstance(dtype, tuple) and len(dtype) == 2 else _PLAIN


def with_number(dtype: Token, *, integral: bool) -> Token:
    """Return the dtype of a tensor combined with a Python number, or None where it isn't known."""
    if isinstance(dtype, str):
        return dtype if dtype in FLOATS or (integral and dtype in INTEGERS) else None
    return dtype if integral else floating(dtype)


def promoted(left: Token, right: Token) -> Token:
    """Return the dtype of two tensors combined, or None where it isn't known.

    A 0-dim operand may leave the dtype of the other operand as it is.
    """
    if left == right or right == "bool":
        return left
    if left == "bool":
        return right
    if is_floating(left) and right in INTEGERS:
        return left
    if is_floating(right) and left in INTEGERS:
        return right
    if left is None or _origin(left) != _origin(right):
        return None
    low, high = sorted((left, right), key=_rank)
    if _rank(low) == _rank(high):
        return floating(_origin(left))  # a quotient and its operand
    return high if is_floating(high) or not is_floating(low) or _rank(low) < _PLAIN else None


_WIDEST = ("int64", "float64", "complex128")  # a wider operand is of another category, which raises in place


def keeps_dtype(target: Value, operand: Value) -> bool | None:
    """Tell whether `target op operand` has the target's dtype; None where it isn't known.

    In place, the result always has the target's dtype. Otherwise only a wider tensor operand of the same category
    changes it silently. Operations that would raise in place don't matter, because the original code ran.
    """
    if operand.must_be(NUMBER | NONE) or "bool" in (operand.dtype, target.dtype):
        return True  # only bool can be written into bool in place
    origin = _origin(target.dtype)
    if origin is not None and origin == _origin(operand.dtype) and _rank(operand.dtype) <= _rank(target.dtype):
        return True
    if target.dtype in _WIDEST or (is_floating(target.dtype) and operand.dtype in INTEGERS):
        return True
    if operand.dtype == "float64":
        return False  # mixed on purpose: the target may have any dtype, which a rewrite must keep
    if isinstance(target.dtype, str) and isinstance(operand.dtype, str):
        return _absorbs(target.dtype, operand.dtype)
    if target.dtype in _NARROW:
        return False  # the target is narrow on purpose, and the operand may be wider
    return None


def _absorbs(target: str, operand: str) -> bool | None:
    """Tell whether an operand of another dtype, but of the same category, leaves the target's dtype as it is.

    None where it isn't known: torch's default float dtype may be any of the wide ones.
    """
    if target == "default":
        return operand in ("float16", "bfloat16", "float32") if operand in FLOATS else None
    if operand == "default":
        return None if target == "float32" else target == "float64"
    if target not in _WIDTHS or operand not in _WIDTHS:
        return None
    return _WIDTHS[operand] < _WIDTHS[target]
