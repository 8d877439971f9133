"""Watches calls of backward: autograd's engine as Python code sees it, with something around its run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from torch.autograd.variable import Variable

RunBackward = Callable[..., Any]
"""Takes the engine's own `run_backward`, the tensors from which backward starts, and the rest of its arguments."""


class _Engine:
    def __init__(self, engine: Any, run: RunBackward) -> None:
        self._engine, self._run = engine, run

    def run_backward(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
        return self._run(self._engine.run_backward, outputs, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


@contextmanager
def watched_backwards(run: RunBackward) -> Iterator[None]:
    """Have `run` carry out each backward that begins in the block."""
    with patch.object(Variable, "_execution_engine", _Engine(Variable._execution_engine, run)):
        yield
