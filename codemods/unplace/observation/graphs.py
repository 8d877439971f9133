"""Questions about a tensor's part in a graph that torch may refuse to answer.

It raises for a view that was made under `no_grad`, of what was written since.
"""

from __future__ import annotations

import torch


def requires_grad(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor takes part in a graph."""
    try:
        return bool(tensor.requires_grad)
    except RuntimeError:
        return True


def is_leaf(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor gets a gradient itself."""
    try:
        return bool(tensor.is_leaf and tensor.requires_grad)
    except RuntimeError:
        return False
