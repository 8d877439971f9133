"""Reads autograd's graphs: a tensor's part in them, their nodes, and the values that these saved.

Torch may refuse to answer: it raises for a view that was made under `no_grad`, of what was written since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node


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


def roots(tensors: Iterable[Any]) -> list[Node]:
    """Return the nodes that made some tensors, or that gradient edges name; leaves have none."""
    nodes = (maker_of(tensor) if isinstance(tensor, torch.Tensor) else tensor.node for tensor in tensors)
    return [node for node in nodes if node is not None]


def maker_of(tensor: torch.Tensor) -> Node | None:
    """Return the node that made a tensor; None where there is none, or torch doesn't tell."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def walk(starts: Iterable[Node]) -> Iterator[Node]:
    """Yield each node of a graph once, starting from the nodes from which backward would start."""
    waiting = list(starts)
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        for before, _ in node.next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)


def saved_by(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the values that a node saved: the role (`self`, `result`, ...) and autograd's `SavedTensor`."""
    for attribute in dir(node):
        if attribute.startswith("_raw_saved_"):
            role = attribute.removeprefix("_raw_saved_")
            try:
                value = getattr(node, attribute)
            except RuntimeError:  # freed by a backward
                continue
            for saved in value if isinstance(value, list | tuple) else (value,):
                yield ("" if role == "tensors" else role), saved


def operator(node: Node) -> str:
    """Return the operator that made a node, or the class of a custom `Function`.

    The operator of the node `NativeLayerNormBackward0` is `native_layer_norm`.
    """
    name = re.sub(r"Backward\d*$", "", node.name().rpartition("::")[2])
    if isinstance(node, BackwardCFunction) or not name:
        return name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
