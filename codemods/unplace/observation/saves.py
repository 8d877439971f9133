"""What a write means to autograd: whether torch refuses it, and which operations saved the memory for backward."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import torch
from torch._C._autograd import CreationMeta, _get_creation_meta
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from unplace.observation.graphs import is_leaf, operator, roots, saved_by, walk
from unplace.observation.memory import memory_key

_NODES = 20_000
"""The number of nodes of the graphs that are looked at."""


def is_refused(tensor: torch.Tensor) -> bool:
    """Tell whether torch raises when a tensor that takes part in a graph is written in place, with autograd recording.

    So it does for leaves and their views, and for views whose graph can't be changed, such as the rows of `unbind`.
    """
    if is_leaf(tensor):
        return True
    if not tensor._is_view():
        return False
    base = tensor._base
    return (base is not None and is_leaf(base)) or _get_creation_meta(tensor) != CreationMeta.DEFAULT


def is_unshared(tensor: torch.Tensor) -> bool:
    """Tell whether nothing but Python's names leads to a tensor and to its memory, so that autograd saved neither."""
    return _uses(tensor) == _ALONE


def _uses(tensor: torch.Tensor) -> tuple[int, int] | None:
    try:
        return tensor._use_count(), torch._C._storage_Use_Count(tensor.untyped_storage()._cdata)
    except (AttributeError, NotImplementedError, RuntimeError, ValueError):
        return None


_ALONE = _uses(torch.empty(0, device="cpu")) or (0, 0)


def savers_of(tensor: torch.Tensor, tensors: Sequence[torch.Tensor]) -> list[str] | None:
    """Return the operations that saved the memory of a tensor, each once, among those that `tensors` were made by.

    The latest tensors come first. None if the graphs are too large, and no saver is among what was looked at.
    """
    memory = memory_key(tensor)
    nodes = list(islice(walk(roots([*reversed(tensors), tensor])), _NODES))
    found = list(dict.fromkeys(operator(node) for node in nodes if _keeps(node, memory)))
    return found if found or len(nodes) < _NODES else None


def _keeps(node: Node, memory: int | None) -> bool:
    held = [saved.data for _, saved in saved_by(node)]
    if isinstance(node, BackwardCFunction):  # what `forward` put in attributes of its context
        held += vars(node).values()
    return any(isinstance(each, torch.Tensor) and memory_key(each) == memory for each in held)
