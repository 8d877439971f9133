"""Recognises the errors that torch raises about in-place operations by their messages."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class Kind(str, Enum):
    """The kinds of failures; all but the last two are errors of torch."""

    OVERWRITTEN = "overwritten"
    """A value that backward needs was written after it had been saved."""
    FREED = "freed"
    """Backward comes to a graph whose saved values an earlier backward has freed."""
    DETACHED = "detached in place"
    """A value that backward needs was taken out of its graph with `detach_()`."""
    LEAF = "leaf"
    VIEW_OF_LEAF = "view of a leaf"
    MULTIPLE_VIEWS = "one of several views"
    FUNCTION_VIEW = "view made by a custom function"
    NO_GRAD_VIEW = "view made without grad mode"
    INFERENCE = "inference tensor"
    VMAP = "vmap"
    CAPTURED = "captured by a transform"
    NO_DERIVATIVE = "no derivative in place"
    OUT = "out= with gradients"
    OVERLAP = "overlapping memory"
    DETACH_VIEW = "detach_ of a view"
    CHANGED = "changed without an error"
    """No error of torch: the value that backward uses isn't the one that was saved."""
    CUT = "graph cut by .data"
    """No error of torch either: a store to `.data` cut the gradient."""


_PATTERNS = (
    (
        Kind.OVERWRITTEN,
        r"one of the variables needed for gradient computation has been modified by",
    ),
    (Kind.FREED, r"Trying to backward through the graph a second time"),
    (Kind.DETACHED, r"Trying to use a saved tensor that has been detached in-place"),
    (
        Kind.VIEW_OF_LEAF,
        r"a view of a leaf Variable that requires grad (is being|has been) used in an in-place",
    ),
    (Kind.LEAF, r"a leaf Variable that requires grad (is being|has been) used in an in-place operation"),
    (
        Kind.MULTIPLE_VIEWS,
        r"is a view and is being modified inplace\. This view is the output of a function",
    ),
    (Kind.FUNCTION_VIEW, r"is a view and is being modified inplace\. This view was created inside a custom Function"),
    (Kind.NO_GRAD_VIEW, r"A view was created in no_grad mode and (is being|has been) modified inplace"),
    (Kind.INFERENCE, r"Inplace update to inference tensor outside InferenceMode"),
    (Kind.INFERENCE, r"A view was created in inference mode and (is being|has been) modified inplace"),
    (Kind.VMAP, r"vmap: .* is not possible because there exists a Tensor"),
    (Kind.CAPTURED, r"attempted to call in-place operation .* that would mutate a captured Tensor"),
    (Kind.NO_DERIVATIVE, r"the derivative for 'inplace version of \w+' is not implemented"),
    (Kind.OUT, r"functions with out=\.\.\. arguments don't support automatic differentiation"),
    (
        Kind.OVERLAP,
        r"written-to tensor refers? to a single memory location",
    ),
    (Kind.DETACH_VIEW, r"Can't detach views in-place"),
)
_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
_HINT = " Hint: "


def recognise(error: BaseException) -> Kind | None:
    """Return the kind of an error, or None if it isn't about in-place operations."""
    if not isinstance(error, RuntimeError):  # NotImplementedError is one
        return None
    text = str(error)
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)


def without_hint(text: str) -> str:
    """Return a message without torch's closing hint, which depends on anomaly detection."""
    return text.partition(_HINT)[0]


def hint(text: str) -> str:
    """Return the closing hint of a message; an empty string where it has none."""
    return "".join(text.partition(_HINT)[1:])


class StaleValue(NamedTuple):
    """The value that an `OVERWRITTEN` error names: type (`torch.FloatTensor`), shape, found and expected version."""

    kind: str
    shape: tuple[int, ...]
    found: int
    expected: int


def stale_value(text: str) -> StaleValue | None:
    """Return the value that the message of an `OVERWRITTEN` error names; None where it names none.

    The operation that made it is left out: torch doesn't always name that.
    """
    match = re.search(r"operation: \[(\S+) \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+)", text)
    if match is None:
        return None
    return StaleValue(match[1], tuple(map(int, filter(None, match[2].split(", ")))), int(match[3]), int(match[4]))


def view_maker(text: str) -> tuple[int, str] | None:
    """Return the output's number and its maker from a message such as `Output 0 of SplitBackward0 is a view ...`."""
    match = re.match(r"Output (\d+) of (\S+) is a view", text)
    return None if match is None else (int(match[1]), match[2])
