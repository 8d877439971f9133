"""Boxes: what an index takes of a tensor, as a range along each dimension, so that disjoint views are told apart.

    y[:, :n], y[:, n:]      y[0], y[1:]      y[..., 0], y[..., 1]      y[a:b], y[b:c]      y[::2], y[1::2]

A bound is a number, or a token for an expression; equal tokens are the same number. A dimension is counted from the
left, from 0, or behind an ellipsis from the right, from -1.
"""

from __future__ import annotations

from typing import NamedTuple

from unplace.analysis.domain.values import Token

END: Token = ("end",)
"""The bound behind the last element."""


class Range(NamedTuple):
    """The elements from `lower` to before `upper`; with a step, from every `step` elements the one at `lower`."""

    lower: Token
    upper: Token
    step: int = 1

    def is_apart(self, other: Range) -> bool:
        """Tell whether no element lies in both ranges."""
        if self.step != 1 or other.step != 1:
            return self.step == other.step and self.lower != other.lower
        return _reaches(self.upper, other.lower) or _reaches(other.upper, self.lower)


class Box(frozenset[tuple[int, Range]]):
    """The known ranges of an index, each with its dimension."""

    __slots__ = ()

    def is_apart(self, other: Box) -> bool:
        """Tell whether no element lies in both boxes of one tensor."""
        return any(one == two and first.is_apart(second) for one, first in self for two, second in other)


def _reaches(upper: Token, lower: Token) -> bool:
    """Tell whether a range that ends before `upper` ends before `lower` begins."""
    if upper == lower:
        return True
    if not isinstance(upper, int) or not isinstance(lower, int):
        return False
    return upper < lower and (upper < 0) == (lower < 0)  # numbers below 0 count from the end
