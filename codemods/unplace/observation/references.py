"""Counts references to a tensor, so that the process is searched only where an unknown holder can exist.

A tensor that is alone in its memory, and of which each reference is that of a known name or container, has no other
holder. How many references the recorder itself and the written statement add is measured, once for each layout.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from inspect import CO_OPTIMIZED
from threading import Thread
from types import FrameType, SimpleNamespace
from typing import Any, NamedTuple

import torch

from unplace.observation.instrument import NAME, Register, Shape, instrumented

_PROBES = (
    "y += k",
    "y[:] = k",
    "y.neg_()",
    "y.add_(k)",
    "y.add_(k, alpha=1)",
    "torch.relu_(y)",
    "torch.neg(k, out=y)",
    "torch.nn.functional.relu(y, inplace=True)",
    "holder.y, y = y, None; holder.y += k",
)


class Layout(NamedTuple):
    """The shape of an operation, the parts that were told before the last, and whether the last is what is written."""

    shape: Shape
    parts: tuple[str, ...]
    is_last: bool


def unexplained(tensor: torch.Tensor, frame: FrameType, known: Iterable[object]) -> int:
    """Return the number of references to a tensor, less those of the names on the stack and of known containers."""
    return sys.getrefcount(tensor) - _from_frames(tensor, frame) - _from_containers(tensor, known)


def _from_frames(tensor: torch.Tensor, frame: FrameType | None) -> int:
    count = 0
    while frame is not None:
        code = frame.f_code
        if code.co_flags & CO_OPTIMIZED:  # of others the names are in a dictionary, which is known
            names = frame.f_locals
            cells = code.co_cellvars
            for name in code.co_varnames:
                count += name in names and names[name] is tensor and name not in cells
        frame = frame.f_back
    return count


def _from_containers(tensor: torch.Tensor, known: Iterable[object]) -> int:
    referents = gc.get_referents(*{id(each): each for each in known}.values())
    count = 0
    for each in referents:
        count += each is tensor
    return count


def probe(register: Register, tell: Callable[[int, str, Any], Any]) -> None:
    """Carry out an operation of each layout on a tensor that nothing but a local name or an object's attribute has.

    That is done in a thread, which has a stack of its own and none of the modes that the program has set for torch.
    """
    thread = Thread(target=_run_probes, args=(register, tell))
    thread.start()
    thread.join()


def _run_probes(register: Register, tell: Callable[[int, str, Any], Any]) -> None:
    with torch.no_grad():
        for statement in _PROBES:
            source = f"def probe(holder):\n    y, k = (torch.ones(2, device='cpu') for _ in range(2))\n    {statement}"
            space: dict[str, Any] = {"torch": torch, NAME: tell}
            exec(compile(instrumented(source, "", register), "<probe>", "exec"), space)
            space["probe"](SimpleNamespace())
