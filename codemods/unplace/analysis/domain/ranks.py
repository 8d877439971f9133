"""Compares numbers of dimensions that aren't known: the largest of those of the tensors that a result is made of.

outside = (rows >= n) | (columns >= m)         has as many as `weights = rows / n - columns / m`
empty = x.sum(dim=2, keepdim=True) == 0        has as many as `x`
"""

from __future__ import annotations

from collections.abc import Iterable

from unplace.analysis.domain.values import Token

_MOST = 16
"""Maximum number of shapes that one is described by."""


class Ranks:
    """The numbers of dimensions that belong to shapes: of each, the shapes of which one has as many and none more."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self._parts: dict[Token, frozenset[Token]] = {}

    def joined(self, made: Token, shapes: Iterable[Token]) -> None:
        """Record that a result has as many dimensions as the operand that has most; a shape may be unknown: None."""
        operands = set(shapes)
        if made in operands:
            return
        parts = frozenset[Token]().union(*([made] if shape is None else self._of(shape) for shape in operands))
        self._parts[made] = parts if 0 < len(parts) <= _MOST else frozenset((made,))

    def is_at_least(self, shape: Token, other: Token) -> bool:
        """Tell whether a shape certainly has as many dimensions as another one, or more."""
        return shape is not None and other is not None and self._of(other) <= self._of(shape)

    def _of(self, shape: Token) -> frozenset[Token]:
        return self._parts.get(shape, frozenset((shape,)))
