"""Finds the saved value behind an error of backward: the one that was written after it had been saved."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import torch
from torch._C._autograd import SavedTensor
from torch.autograd.graph import Node
from torch.utils import checkpoint

from unplace.observation import errors
from unplace.observation.errors import StaleValue
from unplace.observation.graphs import saved_by


class Victim(NamedTuple):
    """A saved value that is stale: the node that saved it (None: no node did), its role and the value itself."""

    node: Node | None
    role: str
    value: torch.Tensor


def victim_of(error: RuntimeError, nodes: Sequence[Node], named: Sequence[Node]) -> Victim | None:
    """Find the value that torch complains about, first where autograd says that it failed, and then everywhere."""
    wanted = errors.stale_value(str(error))
    inputs = [(None, "input", saved) for saved in _saved_in(error.__traceback__)]
    of_named, of_all = (
        [(node, role, saved) for node in some for role, saved in saved_by(node)]
        for some in (named, sorted(nodes, key=lambda node: node._sequence_nr(), reverse=True))  # as backward comes
    )
    for node, role, saved in itertools.chain(of_named, inputs, of_all):
        if _complaint(node, role, saved) == wanted:
            return Victim(node, role, saved.data)
    return None


def _saved_in(traceback: TracebackType | None) -> Iterator[SavedTensor]:
    """Yield the saved values of the checkpoints in a traceback, which keep their inputs outside of any graph."""
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == checkpoint.__file__:
            for local in list(traceback.tb_frame.f_locals.values()):
                if isinstance(local, Node):
                    yield from (saved for _, saved in saved_by(local))
                for held in (local, *getattr(local, "saved_args", ())):
                    if isinstance(held, SavedTensor):
                        yield held
        traceback = traceback.tb_next


def _complaint(node: Node | None, role: str, saved: Any) -> StaleValue | None:
    """Return the stale value that autograd names when it is asked for a saved value; None where it isn't stale."""
    if saved.data is None or saved.unpack_hook is not None:
        return None  # freed, or packed by the program's own hooks: torch doesn't check these, and asking runs code
    attribute = f"_saved_{role}" if role else "saved_tensors"
    for ask in (saved.unpack, functools.partial(getattr, node, attribute, None)):
        try:
            ask()  # the first can't be done for a node's own result, the second asks for several values at once
        except RuntimeError as error:  # noqa: PERF203
            stale = errors.stale_value(str(error))
            if stale is not None:
                return stale
        else:
            return None
    return None
