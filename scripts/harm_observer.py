"""Finds out, while a program runs, which writes hurt autograd: what each overwrote, and what became of it.

Hooks on saved tensors note the version of each tensor that autograd saves, and the place of the operation. They also
switch torch's own check off, so that a program goes on after a backward that would have raised, and all of its writes
are judged.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import WeakSet

import torch
from kinds_exercise import tensors
from kinds_writes import Writes, carried_out, version
from torch.autograd.graph import saved_tensors_hooks

from unplace.observation import errors
from unplace.observation.memory import memory_of

RAN = "ran"
RECORDED = "recorded"  # while autograd recorded, with a tensor that has a graph
OVERWROTE = "overwrote"  # a tensor that autograd had saved, which no backward has asked for
RAISED = "raised"  # the same, and a backward asked for it
FORBIDDEN = "forbidden"  # torch refused the write
CUT = "cut"  # a store to `.data` hid the graph of the stored values
HIDDEN = "hidden"  # a write to saved memory that autograd doesn't count, such as one through `.data`

_ALLOWED = (errors.Kind.FREED, errors.Kind.DETACHED, errors.Kind.NO_DERIVATIVE, errors.Kind.OVERLAP)

Key = tuple[str, str]
"""The place of a write and its name."""


class Saved:
    """A tensor that autograd saved: an alias of it, its version then, the place, and the writes that came later."""

    __slots__ = ("__weakref__", "by", "seen", "tensor", "version", "writes")

    def __init__(self, tensor: torch.Tensor, by: str) -> None:
        self.tensor = tensor.detach()
        self.version = self.seen = version(tensor)
        self.by = by
        self.writes: set[Key] = set()


class Harms(Writes):
    """While it is entered, counts what becomes of each write that the files of a folder ask for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._root = f"{folder}/"
        self._saved: dict[int, WeakSet[Saved]] = {}
        self._found: dict[Key, Counter[str]] = {}
        self._savers: dict[Key, Counter[str]] = {}
        self._calls: list[str] = []
        self._stack = ExitStack()

    def __enter__(self) -> Harms:
        self._stack.enter_context(saved_tensors_hooks(self._pack, self._unpack))
        super().__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        super().__exit__(*details)
        self._stack.close()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Carry the operation out, and count what it wrote."""
        given = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "__set__":
            return self._stored(func, name, args)
        if name == "__get__":
            return func(*args)
        try:
            with self._called(name):
                result, written = carried_out(func, args, given)
        except RuntimeError as error:
            kind = errors.recognise(error)
            if kind is not None and kind is not errors.Kind.OVERWRITTEN and kind not in _ALLOWED:
                self._count(self.asked(sys._getframe(1), name), (FORBIDDEN,))
            raise
        if written:
            key = self.asked(sys._getframe(1), name)
            graph = torch.is_grad_enabled() and any(t.requires_grad for t in tensors((args, given)))
            self._count(key, (RAN, *((RECORDED,) if graph else ())))
            for tensor in written:
                self._overwrite(tensor, key)
        return result

    @contextmanager
    def _called(self, name: str) -> Iterator[None]:
        self._calls.append(name)
        try:
            yield
        finally:
            self._calls.pop()

    def _stored(self, func: Callable[..., Any], name: str, args: tuple[Any, ...]) -> Any:
        if getattr(func, "__self__", None) is not vars(torch._C.TensorBase).get("data"):
            return func(*args)
        stored = args[-1]
        has_graph = isinstance(stored, torch.Tensor) and stored.grad_fn is not None
        result = func(*args)
        key = self.asked(sys._getframe(2), name)  # behind `__torch_function__`
        self._count(key, (RAN, *((CUT,) if has_graph and torch.is_grad_enabled() else ())))
        return result

    def _overwrite(self, tensor: torch.Tensor, key: Key | None) -> None:
        """Note a write in what autograd saved of the same memory; saves that follow in the same call are newer."""
        memory = memory_of(tensor)
        for saved in list(self._saved.get(memory._cdata, ())) if memory is not None else ():
            now = version(saved.tensor)
            if key is not None and now > max(saved.version, saved.seen):
                saved.writes.add(key)
                self._count(key, (OVERWROTE,))
                self._savers.setdefault(key, Counter())[saved.by] += 1
            elif key is not None and now != version(tensor):
                self._count(key, (HIDDEN,))
            saved.seen = now

    def _pack(self, tensor: torch.Tensor) -> object:
        memory = memory_of(tensor)
        if memory is None:
            return tensor
        with torch._C.DisableTorchFunction():
            saved = Saved(tensor, f"{self._calls[-1] if self._calls else ''} {self._line(sys._getframe(1))}")
        self._saved.setdefault(memory._cdata, WeakSet()).add(saved)
        return saved

    def _unpack(self, saved: object) -> torch.Tensor:
        if isinstance(saved, torch.Tensor):
            return saved
        assert isinstance(saved, Saved)
        for key in saved.writes:
            self._count(key, (RAISED,))
        return saved.tensor

    def _line(self, frame: FrameType | None) -> str:
        while frame is not None and not frame.f_code.co_filename.startswith(self._root):
            frame = frame.f_back
        return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""

    def _count(self, key: Key | None, words: tuple[str, ...]) -> None:
        if key is not None:
            self._found.setdefault(key, Counter()).update(words)

    def dump(self, path: Path) -> None:
        """Add what was seen to a JSON file: by place and name, counts and the places that saved what was written."""
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for (place, name), found in self._found.items():
            entry = known.setdefault(f"{place} {name}", {"found": {}, "savers": {}})
            entry["found"] = Counter(entry["found"]) + found
            entry["savers"] = Counter(entry["savers"]) + self._savers.get((place, name), Counter())
        path.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf-8")
