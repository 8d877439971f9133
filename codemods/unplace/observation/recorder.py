"""The recorder: instrumented code tells it what each operation works on, and it counts what it sees.

It reads attributes of tensors and runs no operation on them, so that results, gradients and random numbers stay the
same. Its own faults never reach the program.
"""

from __future__ import annotations

import sys
import threading
import time
from functools import partial
from types import FrameType, ModuleType
from typing import Any

import torch

from unplace.observation.facts import Key, Observations, OperationFacts
from unplace.observation.faults import report_fault
from unplace.observation.graphs import is_leaf, requires_grad
from unplace.observation.holders import holders_of
from unplace.observation.inplace_modules import Modules
from unplace.observation.instrument import Operation, Part, Shape
from unplace.torchapi import members

_SHARE = 0.1
"""The largest part of the time that the search for holders may take."""
_FREE = 1.0
"""The seconds that the search may take in any case."""
_PENDING = 64
"""The number of operations of a thread of which some parts are told; more are leftovers."""
_ALWAYS = 3
"""The number of first runs of an operation, from each caller, in which holders are looked for."""


class Recorder:
    """Counts what the operations of the files below the folder `root` work on."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.observations = Observations(root)
        self._operations: list[Operation] = []
        self._facts: list[OperationFacts] = []
        self._local = threading.local()
        self._lock = threading.Lock()
        self._calls: dict[tuple[int, int, int], int] = {}
        self._began = time.perf_counter()
        self._spent = 0.0
        self._modules = Modules(self.ran)

    def ran(self, number: int, tensor: object, frame: FrameType) -> None:
        """Take the input of a module that is about to overwrite it; `frame` is that of its forward."""
        if isinstance(tensor, torch.Tensor):
            self._record(number, {}, tensor, frame)

    def register(self, file: str, key: Key, shape: Shape, target: str, name: str) -> int:
        """Take an operation, and return its number."""
        with self._lock:
            self._operations.append(Operation(file, key, shape, target, name))
            self._facts.append(self.observations.of(file, key))
            return len(self._operations) - 1

    def close(self) -> None:
        """Stop watching modules."""
        self._modules.close()

    def restart(self) -> None:
        """Forget all counts, in a process that was forked and reports what it sees itself."""
        for operations in self.observations.by_file.values():
            operations.update({key: OperationFacts() for key in operations})
        self._facts = [self.observations.of(each.file, each.key) for each in self._operations]
        self._lock, self._local = threading.Lock(), threading.local()

    def __call__(self, number: int, part: str, value: Any) -> Any:
        """Take the value of a part of an operation, and return it."""
        self.tell(number, part, value, sys._getframe(1))
        return value

    def tell(self, number: int, part: str, value: Any, frame: FrameType) -> None:
        """Take the value of a part of an operation in a frame."""
        try:
            self._told(number, part, value, frame)
        except Exception:
            report_fault()

    def _told(self, number: int, part: str, value: Any, frame: FrameType) -> None:
        if part == Part.MADE.value:
            if isinstance(value, torch.nn.Module):
                self._modules.made(value, number)
                self._facts[number].made[_qualified(type(value))] += 1
            elif isinstance(value, partial):
                self._modules.bound(value, number)
        elif part == Part.END.value and self._operations[number].shape in _SINGLE:
            self._record(number, {}, value, frame)
        else:
            self._gather(number, part, value, frame)

    def _gather(self, number: int, part: str, value: Any, frame: FrameType) -> None:
        """Take a part of an operation that has several."""
        pending: dict[tuple[int, int], dict[str, list[Any]]] = self._local.__dict__.setdefault("pending", {})
        key = number, id(frame)
        if part == Part.END.value:
            self._record(number, pending.pop(key, {}), value, frame)
            return
        if part != Part.OPERAND.value or self._operations[number].shape is not Shape.CALL:  # the first of its parts
            if len(pending) >= _PENDING:  # operations that an exception ended
                pending.clear()
            pending[key] = {part: [value]}
        elif key in pending:
            pending[key].setdefault(part, []).append(value)

    def _record(self, number: int, parts: dict[str, list[Any]], last: Any, frame: FrameType) -> None:
        operation, facts = self._operations[number], self._facts[number]
        target, holder, operands = _target(operation, parts, last, frame)
        parts.clear()
        if type(target).__module__.startswith("torch.fx"):  # traced, not run
            return
        facts.runs += 1
        if not isinstance(target, torch.Tensor):
            if operation.shape is Shape.FIRST:  # `nn.Dropout(0.5, inplace=True)`
                facts.runs -= 1
                return
            facts.types[type(target).__name__] += 1
            return
        facts.tensors += 1
        if _is_wrapped(target):
            facts.unmeasured += 1
            return
        wider = _is_wider(target, operands, operation)
        facts.wider += wider is True
        facts.unmeasured += wider is None
        if operation.shape is Shape.DATA:
            facts.graphs += any(isinstance(each, torch.Tensor) and requires_grad(each) for each in operands)
        takes_part = requires_grad(target) or any(isinstance(x, torch.Tensor) and requires_grad(x) for x in operands)
        facts.recorded += torch.is_grad_enabled() and takes_part
        operands.clear()  # so that it doesn't count as a holder
        facts.leaves += is_leaf(target)
        facts.views += target._is_view()
        if self._looks_closer(number, frame):
            began = time.perf_counter()
            found = holders_of(target, frame, operation.target, holder, self.root)
            facts.examined += 1
            facts.alone += not found.others
            facts.holders.update(set(found.others))
            facts.shares.update(set(found.shares))
            self._spent += time.perf_counter() - began

    def _looks_closer(self, number: int, frame: FrameType) -> bool:
        """Tell whether to look for holders now: in the first runs from each caller, later ever more rarely."""
        caller = frame.f_back
        key = (number, id(caller.f_code), caller.f_lasti) if caller is not None else (number, 0, 0)
        count = self._calls[key] = self._calls.get(key, 0) + 1
        if count > _ALWAYS and count & (count - 1):
            return False
        return self._spent < _FREE + _SHARE * (time.perf_counter() - self._began)


_SINGLE = frozenset({Shape.NAME, Shape.OUT, Shape.FIRST})
"""The shapes of which one part is told, unless an operand comes before."""


def _target(
    operation: Operation, parts: dict[str, list[Any]], last: Any, frame: FrameType
) -> tuple[object, object, list[object]]:
    """Return the written object, the object that holds it as an attribute, if any, and the operands."""
    operands = list(parts.get(Part.OPERAND.value, ()))
    shape = operation.shape
    if shape is Shape.NAME:
        return _named(operation.target, frame), None, [last]
    if shape is Shape.ATTRIBUTE:
        holder = parts[Part.HOLDER.value][0]
        return _attribute(holder, operation.target.rpartition(".")[2]), holder, [last]
    if shape in (Shape.OUT, Shape.FIRST, Shape.MODULE):
        return last, None, []
    if Part.TARGET.value in parts:
        target = parts[Part.TARGET.value][0]
        operands = [*operands, last]
    else:
        target = last
    if isinstance(target, ModuleType) and operands:  # a function: `F.relu_(y)`
        target, *operands = operands
    return target, _holder(operation.target, frame), operands


def _qualified(cls: type) -> str:
    """Return the name of a class as programs write it: `torch.nn.ReLU`."""
    return f"{cls.__module__.partition('.modules.')[0]}.{cls.__name__}"


def _named(name: str, frame: FrameType) -> object:
    names = frame.f_locals
    return names[name] if name in names else frame.f_globals.get(name)


def _attribute(holder: object, name: str) -> object:
    """Return an attribute that is stored, without running any property."""
    own = getattr(holder, "__dict__", {})
    for namespace in (own, own.get("_buffers"), own.get("_parameters")):
        if isinstance(namespace, dict) and name in namespace:
            return namespace[name]
    return None


def _holder(target: str, frame: FrameType) -> object:
    """Return the object of which `a.b.y` is an attribute, as far as names and stored attributes lead."""
    first, *path = target.split(".")
    if not path or not all(part.isidentifier() for part in (first, *path)):
        return None
    holder = _named(first, frame)
    for part in path[:-1]:
        holder = _attribute(holder, part)
    return holder


def _is_wrapped(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor stands for several, or for none, as under vmap, tracing or in subclasses of its own."""
    return type(tensor) not in (torch.Tensor, torch.nn.Parameter) or torch._C._functorch.is_functorch_wrapped_tensor(
        tensor
    )


def _is_wider(target: torch.Tensor, operands: list[object], operation: Operation) -> bool | None:
    """Tell whether a new tensor in place of the target would have another dtype; None where that can't be told."""
    if torch._C._is_any_autocast_enabled() or operation.shape is Shape.OUT or operation.name in _UNLIKE:
        return None
    if operation.name in _DIVIDES and not target.is_floating_point() and not target.is_complex():
        return True
    numbers = (torch.Tensor, int, float, complex)
    return any(torch.result_type(target, each) != target.dtype for each in operands if isinstance(each, numbers))


_DIVIDES = members.DIVIDING | {"Div"}
_UNLIKE = members.UNLIKE_OPERANDS | {"inplace", "data"}
