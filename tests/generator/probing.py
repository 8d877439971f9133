"""What a changed program calls to find out about itself: copies of what it holds, notes of what is the case."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import torch
from torch.overrides import TorchFunctionMode

T = TypeVar("T")
notes: list[bool] = []
"""What was the case, each time that a probe was met."""

containers: list[object] = []
"""The lists and dictionaries that were copied, which may be written themselves."""


def fresh(value: Any) -> Any:
    """The same value in memory of its own; tensors of one container that share memory still do."""
    return _copied(value, {})


def _copied(value: Any, storages: dict[int, Any]) -> Any:
    if isinstance(value, torch.nn.Parameter):
        raise TypeError("a parameter is no tensor like others")
    if isinstance(value, torch.Tensor):
        held = value.untyped_storage()
        copy = storages.setdefault(held.data_ptr(), held.clone()) if held.data_ptr() else held
        empty = torch.empty(0, dtype=value.dtype)
        return empty.set_(copy, value.storage_offset(), value.size(), value.stride())  # type: ignore[arg-type]
    if isinstance(value, list | dict):
        containers.append(value)
    if isinstance(value, dict):
        return {key: _copied(item, storages) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(item, storages) for item in value)
    return value


def copying(module: torch.nn.Module) -> torch.nn.Module:
    """The module, which copies its inputs first."""
    module.register_forward_pre_hook(lambda _, inputs: tuple(fresh(value) for value in inputs))
    return module


def note(what: bool) -> None:
    """Remember that something is (not) the case."""
    notes.append(bool(what))


def tensor(value: T) -> T:
    """The value; whether it is a tensor is noted."""
    note(isinstance(value, torch.Tensor))
    return value


def distinct(value: Any) -> bool:
    """Whether no two elements are the same object."""
    elements = list(value.values()) if isinstance(value, dict) else list(value)
    return len({id(element) for element in elements}) == len(elements)


def apart(one: Any, other: Any) -> bool:
    """Whether no element of the one has the address of an element of the other."""
    return not _addresses(one) & _addresses(other)


def _addresses(value: Any) -> set[int]:
    if isinstance(value, torch.Tensor):
        held = value.detach()
        places = torch.arange(held.untyped_storage().nbytes() // held.element_size() or 1)
        taken = places.as_strided(held.size(), held.stride(), held.storage_offset()) if held.numel() else places[:0]
        return {held.untyped_storage().data_ptr() + int(place) * held.element_size() for place in taken.flatten()}
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return set().union(*map(_addresses, items))


def even(pieces: T) -> T:
    """The pieces; whether they are of one size is noted."""
    note(len({piece.shape for piece in pieces}) == 1)  # type: ignore[attr-defined]
    return pieces


def begun(iterable: Iterable[T]) -> Iterator[T]:
    """The same elements; whether there are any is noted."""
    iterator = iter(iterable)
    first = list(itertools.islice(iterator, 1))
    note(bool(first))
    return itertools.chain(first, iterator)


class Dtypes(TorchFunctionMode):
    """Notes whether the operations of one line keep the dtype of what they write."""

    def __init__(self, line: int, filename: str) -> None:
        super().__init__()
        self.line, self.filename = line, filename

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at one operation, and do it."""
        if self._is_there():
            self._look(getattr(func, "__name__", ""), func, args, kwargs or {})
        return func(*args, **(kwargs or {}))

    def _is_there(self) -> bool:
        frame: Any = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame is not None and frame.f_lineno == self.line

    def _look(self, name: str, func: Any, args: Any, kwargs: Any) -> None:
        out = kwargs.get("out")
        if isinstance(out, torch.Tensor):
            note(func(*args, **{k: v for k, v in kwargs.items() if k != "out"}).dtype == out.dtype)
        elif name == "__setitem__":
            part, value = args[0][args[1]], args[2]
            note(isinstance(value, torch.Tensor) and (value.shape, value.dtype) == (part.shape, part.dtype))
        elif (name.endswith("_") and not name.endswith("__")) or name.startswith("__i"):
            target, *others = (a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor | int | float))
            others = [o for o in others if isinstance(o, torch.Tensor)]
            note(all(torch.result_type(target, other) == target.dtype for other in others))
