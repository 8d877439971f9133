"""The errors that torch raises over in-place operations, recognised by its own words."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class Kind(str, Enum):
    """What torch complains about."""

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
    """Nothing that torch complains about: what backward uses isn't what was saved."""
    CUT = "graph cut by .data"
    """Nothing that torch complains about either."""


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
    """The kind of an error, or None if it isn't about in-place operations."""
    if not isinstance(error, RuntimeError):  # NotImplementedError is one
        return None
    text = str(error)
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)


def without_hint(text: str) -> str:
    """What happened, without torch's closing hint, which depends on anomaly detection."""
    return text.partition(_HINT)[0]


def hint(text: str) -> str:
    """The hint alone, as it follows on the text; empty where there is none."""
    return "".join(text.partition(_HINT)[1:])


class StaleValue(NamedTuple):
    """What an `OVERWRITTEN` error says of the value: `torch.FloatTensor`, its shape and its versions."""

    kind: str
    shape: tuple[int, ...]
    found: int
    expected: int


def stale_value(text: str) -> StaleValue | None:
    """The value of an `OVERWRITTEN` error. Who made it is left out: torch doesn't say it everywhere."""
    match = re.search(r"operation: \[(\S+) \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+)", text)
    if match is None:
        return None
    return StaleValue(match[1], tuple(map(int, filter(None, match[2].split(", ")))), int(match[3]), int(match[4]))


def view_maker(text: str) -> tuple[int, str] | None:
    """`Output 0 of Split is a view ...`: the number of the output and the name of what made it."""
    match = re.match(r"Output (\d+) of (\S+) is a view", text)
    return None if match is None else (int(match[1]), match[2])
