"""Watches the program's calls into torch: which tensors each one wrote, and whether torch refused it.

It does so with a `TorchFunctionMode`, which leaves the program's operators as they are. A `TorchDispatchMode` would see
writes inside other operators too, but under one the versions of tensors in lists (`_foreach_add_` of the optimizers)
don't change, and the error that is looked for doesn't happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree

from unplace import torchapi
from unplace.diagnosis import silent

OnWrite = Callable[[str, torch.Tensor, int], None]
OnFailure = Callable[[RuntimeError, str, Sequence[Any]], None]
OnStore = Callable[[torch.Tensor, Any], None]
_UNCOUNTED = ("_fused_", "_amp_", "detach_")
"""The beginnings of the names of functions that change their arguments without raising versions."""
_ACCESSORS = frozenset({"__get__", "__set__", "__delete__"})
"""Attributes of tensors: they write no values, and backward itself uses them while it holds locks."""
_GET_DATA = torch.Tensor.data.__get__
_SET_DATA = torch.Tensor.data.__set__


class Calls(TorchFunctionMode):  # type: ignore[misc]
    """The mode that watches calls.

    `on_write` is called with the function's name, the tensor and its new version for each write, `on_failure` with the
    error, the function's name and its arguments for each call that raises a `RuntimeError`.
    """

    def __init__(self, on_write: OnWrite, on_failure: OnFailure) -> None:
        super().__init__()
        self._on_write, self._on_failure = on_write, on_failure
        self._is_inside = False

    @contextmanager
    def resumed(self) -> Iterator[None]:
        """Resume the mode for a backward, which runs code of the program; torch suspends a mode during a call."""
        was_inside, self._is_inside = self._is_inside, False
        try:
            with self if was_inside else nullcontext():
                yield
        finally:
            self._is_inside = was_inside

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        if name in _ACCESSORS:
            return func(*args)
        if not torch.is_anomaly_enabled():  # the program has switched it off
            torch.set_anomaly_enabled(True, False)
        kwargs = kwargs or {}
        given = [tensor for tensor in _tensors((args, kwargs.values())) if not tensor.is_inference()]
        versions = [tensor._version for tensor in given]
        was_inside, self._is_inside = self._is_inside, True
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            self._on_failure(error, name, _pytree.tree_leaves((args, kwargs)))
            raise
        finally:
            self._is_inside = was_inside
        uncounted = _uncounted(name, args, kwargs)
        for tensor, version in zip(given, versions, strict=True):
            if tensor._version != version or any(tensor is written for written in uncounted):
                self._on_write(name, tensor, tensor._version)
        return result


@contextmanager
def seen_broadcasts(on_write: OnWrite) -> Iterator[None]:
    """Call `on_write` also for the buffers of a model over which `DistributedDataParallel` copies those of rank 0.

    No mode sees that call, and it doesn't raise the versions.
    """
    if not dist.is_available():
        yield
        return
    broadcast = dist._broadcast_coalesced

    def noted(group: Any, tensors: Sequence[torch.Tensor], *args: Any, **kwargs: Any) -> Any:
        result = broadcast(group, tensors, *args, **kwargs)
        for tensor in tensors:
            on_write("broadcast", tensor, tensor._version)
        return result

    with patch.object(dist, "_broadcast_coalesced", noted):
        yield


class SilentCalls(Calls):
    """The mode for `--silent`: also notes the contents of saved values around each call, and sees stores to `.data`."""

    def __init__(self, on_write: OnWrite, on_failure: OnFailure, on_store: OnStore) -> None:
        super().__init__(on_write, on_failure)
        self._on_store = on_store

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__name__", "") in _ACCESSORS and func not in (_GET_DATA, _SET_DATA):
            return func(*args)
        silent.remember(_pytree.tree_leaves((args, kwargs)))
        if func == _SET_DATA:
            self._on_store(*args)
        result = super().__torch_function__(func, types, args, kwargs)
        silent.remember(_pytree.tree_leaves(result))
        return result


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors among arguments, those in lists included."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple | type({}.values())):
            yield from _tensors(value)


def _uncounted(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """Return the tensors that a call changes without raising their versions, such as the statistics of `batch_norm`."""
    if name.startswith(_UNCOUNTED):
        return list(_tensors(args))
    operator = _updating_statistics(name)
    if operator is None:
        return []
    given = dict(zip(operator.parameters, args, strict=False), **kwargs)
    if not (given.get("training") or given.get("use_input_stats")):
        return []
    return [given[name] for name in ("running_mean", "running_var") if isinstance(given.get(name), torch.Tensor)]


@cache
def _updating_statistics(name: str) -> torchapi.Operator | None:
    """Return torch's function of that name if it can update running statistics, else None."""
    operator = torchapi.function(f"torch.nn.functional.{name}") or torchapi.function(f"torch.{name}")
    return operator if operator is not None and "running_mean" in operator.writes else None
