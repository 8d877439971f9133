"""Lets autograd take a write to a piece of a tensor: `a, b = x; b *= 2` only raises because one call makes all pieces.

Each piece becomes a view of its own, as `x[1]` is one. So autograd itself says what the gradient of such a program is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch.overrides import TorchFunctionMode

_NAMES = ("unbind", "split", "split_with_sizes", "chunk", "hsplit", "vsplit", "dsplit")
_CUTTING = frozenset(
    [getattr(place, name) for place in (torch, torch.Tensor) for name in _NAMES if hasattr(place, name)]
)


class WritablePieces(TorchFunctionMode):  # type: ignore[misc]
    """Makes each piece of a tensor that is cut or iterated over a view of its own."""

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Run a function of torch; called by torch."""
        result = func(*args, **(kwargs or {}))
        base = args[0] if args else None
        if not isinstance(base, torch.Tensor):
            return result
        if func is torch.Tensor.__iter__:
            return iter([_view(base, piece) for piece in base.unbind(0)])
        if func in _CUTTING and isinstance(result, tuple | list):
            return type(result)(_view(base, piece) for piece in result)
        return result


def _view(base: torch.Tensor, piece: torch.Tensor) -> torch.Tensor:
    return base.as_strided(piece.size(), piece.stride(), piece.storage_offset())
