"""The recorder: instrumented code tells it what each operation works on, and it counts what it sees.

It reads attributes of tensors and runs no operation on them, so that results, gradients and random numbers stay the
same. Its own faults never reach the program.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import Any

import torch

from unplace.observation import errors
from unplace.observation.backwards import watched_backwards
from unplace.observation.callers import calling_file
from unplace.observation.calls import Calls
from unplace.observation.effort import UNLIMITED, USUAL, Budget, Effort
from unplace.observation.facts import Key, Observations, OperationFacts
from unplace.observation.faults import report_fault
from unplace.observation.graphs import is_leaf, operator, requires_grad, roots, walk
from unplace.observation.heap import live_tensors
from unplace.observation.holders import Holders, add_others, on_stack
from unplace.observation.inplace_modules import Modules
from unplace.observation.instrument import Operation, Part, Shape
from unplace.observation.memory import Notes, has_view_of
from unplace.observation.references import Layout, probe, unexplained
from unplace.observation.saves import is_refused, is_unshared, savers_of
from unplace.observation.stale import victim_of
from unplace.observation.writes import Parts, Told, write_of
from unplace.torchapi import members

_PENDING = 64
"""The number of operations of a thread of which some parts are told; more are leftovers."""
_ALWAYS = 3
"""The number of first runs of an operation, from each caller, in which holders and savers are looked for."""


class Recorder:
    """Counts what the operations of the files below the folder `root` work on.

    `effort` says how much time the search for holders and savers may take; a run that was not examined counts as none.
    Operations that earlier runs, the `known` ones, have examined come after the others.
    """

    def __init__(self, root: str, effort: Effort = USUAL, known: Observations | None = None) -> None:
        self.root = root
        self.observations = Observations(root)
        self._programs = Calls(self.observations)
        self._operations: list[Operation] = []
        self._facts: list[OperationFacts] = []
        self._known = known if known is not None else Observations(root)
        self._was_examined: list[bool] = []
        self._local = threading.local()
        self._lock = threading.Lock()
        self._calls: dict[tuple[int, int, int], int] = {}
        self._budget = Budget(effort)
        self._own: dict[Layout, int] | None = None
        self._modules = Modules(self.ran)
        self._written: Notes[tuple[int, int]] = Notes()
        self._stack = ExitStack()
        self._stack.enter_context(watched_backwards(self._run_backward))

    def ran(self, number: int, tensor: object, frame: FrameType) -> None:
        """Take the input of a module that is about to overwrite it; `frame` is that of its forward."""
        if isinstance(tensor, torch.Tensor):
            self._record(number, {}, tensor, frame)

    def register(self, file: str, key: Key, shape: Shape, target: str, name: str) -> int:
        """Take an operation, and return its number."""
        with self._lock:
            self._operations.append(Operation(file, key, shape, target, name))
            is_function = shape is Shape.FUNCTION
            self._facts.append(OperationFacts() if is_function else self.observations.of(file, key))
            self._was_examined.append(not is_function and bool(self._known.of(file, key).examined))
            number = len(self._operations) - 1
            if not is_function:
                self._programs.register(file, key[0], number)
            return number

    def close(self) -> None:
        """Stop watching modules and backwards."""
        self._stack.close()
        self._modules.close()

    def restart(self) -> None:
        """Forget all counts, in a process that was forked and reports what it sees itself."""
        for operations in self.observations.by_file.values():
            operations.update({key: OperationFacts() for key in operations})
        self._facts = [
            OperationFacts() if each.shape is Shape.FUNCTION else self.observations.of(each.file, each.key)
            for each in self._operations
        ]
        self._programs.restart()
        self._lock, self._local = threading.Lock(), threading.local()

    def __call__(self, number: int, part: str, value: Any) -> Any:
        """Take the value of a part of an operation, and return it."""
        return self.tell(number, part, value, sys._getframe(1))

    def tell(self, number: int, part: str, value: Any, frame: FrameType) -> Any:
        """Take the value of a part of an operation in a frame, and return it, or what stands for it and tells more."""
        try:
            if part == Part.MADE.value:
                return self._made(number, value)
            if part == Part.ENTER.value:
                operation = self._operations[number]
                self._programs.entered(operation.file, operation.key[0], frame)
                return value
            if part == Part.END.value and self._operations[number].shape in _SINGLE:
                self._record(number, {}, value, frame)
            else:
                self._gather(number, part, value, frame)
        except Exception:
            report_fault()
        return value

    def _made(self, number: int, value: Any) -> Any:
        if isinstance(value, torch.nn.Module):
            self._modules.made(value, number)
            self._facts[number].made[_qualified(type(value))] += 1
        elif isinstance(value, partial):
            return self._modules.bound(value, number)
        return value

    def _gather(self, number: int, part: str, value: Any, frame: FrameType) -> None:
        """Take a part of an operation that has several."""
        pending: dict[tuple[int, int], Parts] = self._local.__dict__.setdefault("pending", {})
        key = number, id(frame)
        if part == Part.END.value:
            self._record(number, pending.pop(key, {}), value, frame)
            return
        is_another = part == Part.OPERAND.value and self._operations[number].shape is Shape.CALL
        if key not in pending or (part in pending[key] and not is_another):  # the first of its parts
            if len(pending) >= _PENDING:  # operations that an exception ended
                pending.clear()
            pending[key] = {}
        pending[key].setdefault(part, Told()).append(value)

    def _record(self, number: int, parts: Parts, last: Any, frame: FrameType) -> None:
        operation, facts = self._operations[number], self._facts[number]
        self._programs.reached(number, frame)
        write = write_of(operation, parts, last, frame)
        target = write.target
        layout = Layout(operation.shape, tuple(sorted(parts)), last is target)
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
        wider = _is_wider(target, write.operands, operation)
        facts.wider += wider is True
        facts.unmeasured += wider is None
        has_graph = any(isinstance(each, torch.Tensor) and requires_grad(each) for each in write.operands)
        is_recorded = torch.is_grad_enabled() and write.owner is None and (has_graph or requires_grad(target))
        facts.graphs += has_graph
        facts.recorded += is_recorded
        facts.off += not torch.is_grad_enabled()
        facts.leaves += is_leaf(target)
        facts.views += target._is_view()
        facts.parameters += write.is_to_parameter
        looks_closer = self._looks_closer(number, frame)
        if looks_closer:
            facts.overlaps += has_view_of(target, write.operands)
            facts.callers[calling_file(frame, self.root)] += 1
        holder, changes_values = write.holder, write.changes_values
        del write  # so that it doesn't count as a holder
        savers: list[str] | None = [] if is_unshared(target) else None
        if looks_closer:
            began = time.perf_counter()
            savers = self._examine(number, layout, target, frame, holder, savers)
            self._budget.spend(time.perf_counter() - began)
        if changes_values and not target.is_inference():
            self._written.note(target, number, (number, target._version))
            if is_recorded and is_refused(target):
                facts.refused += 1
            elif savers is not None:
                facts.searched += 1
                facts.unsaved += not savers
                facts.overwrote.update(savers)

    def _examine(
        self,
        number: int,
        layout: Layout,
        tensor: torch.Tensor,
        frame: FrameType,
        container: object,
        savers: list[str] | None,
    ) -> list[str] | None:
        """Count the holders of a tensor, and return what saved it; without an answer where that takes too long.

        The process is searched only where autograd, another tensor or an unknown holder has a reference.
        """
        operation, facts = self._operations[number], self._facts[number]
        has_time = self._budget.allows(is_first=self._is_first(number))
        if savers is None and not has_time:
            return None
        found = on_stack(tensor, frame, operation.target, container, self.root)
        if savers is not None and self._explains(layout, unexplained(tensor, frame, found.known)):
            _count_holders(facts, found)
        elif has_time:
            live = live_tensors() if savers is None else [tensor]
            add_others(found, tensor, frame, operation.target, live)
            savers = found.contexts if savers is not None else savers_of(tensor, live)
            _count_holders(facts, found)
        else:
            savers = None  # the context of a custom function may have it
        return savers

    def _explains(self, layout: Layout, references: int) -> bool:
        """Tell whether a statement of a layout, and the recorder, have all of some references to a tensor."""
        if self._own is None:
            self._own = _own_references()
        return references <= self._own.get(layout, 0)

    def _run_backward(self, run: Callable[..., Any], outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # of pytest
        try:
            return run(outputs, *args, **kwargs)
        except RuntimeError as error:
            try:
                self._note_failure(error, outputs)
            except Exception:
                report_fault()
            raise

    def _note_failure(self, error: RuntimeError, outputs: Sequence[Any]) -> None:
        """Note which operations made a backward fail, with the one that had saved what they wrote."""
        if errors.recognise(error) is not errors.Kind.OVERWRITTEN:
            return
        stale = errors.stale_value(str(error))
        nodes = list(walk(roots(outputs)))
        victim = victim_of(error, nodes, ())
        if stale is None or victim is None:
            return
        saver = "checkpoint" if victim.node is None else operator(victim.node)
        for number, version in self._written.on(victim.value):
            if version >= stale.expected:
                self._facts[number].raised[saver] += 1

    def _looks_closer(self, number: int, frame: FrameType) -> bool:
        """Tell whether to look for holders and savers: in the first runs from each caller, then ever more rarely."""
        caller = frame.f_back
        key = (number, id(caller.f_code), caller.f_lasti) if caller is not None else (number, 0, 0)
        count = self._calls[key] = self._calls.get(key, 0) + 1
        is_first = self._is_first(number)
        if count == 1 and not self._facts[number].examined:
            return True
        if not is_first and count > _ALWAYS and count & (count - 1):
            return False
        return self._budget.allows(is_first=is_first)

    def _is_first(self, number: int) -> bool:
        """Tell whether no run of an operation was examined yet, in this process or an earlier one."""
        return not self._facts[number].examined and not self._was_examined[number]


class _Measuring(Recorder):
    """Notes how many references each layout itself adds to a tensor that only a local name has."""

    def __init__(self) -> None:
        super().__init__("", UNLIMITED)
        self.own: dict[Layout, int] = {}

    def _explains(self, layout: Layout, references: int) -> bool:
        self.own[layout] = min(references, self.own.get(layout, references))
        return True


def _own_references() -> dict[Layout, int]:
    """Return how many references each layout adds."""
    measuring = _Measuring()
    try:
        probe(measuring.register, measuring)
    finally:
        measuring.close()
    return measuring.own


def _count_holders(facts: OperationFacts, found: Holders) -> None:
    facts.examined += 1
    facts.alone += not (found.callers or found.keepers)
    facts.kept += bool(found.keepers)
    facts.holders.update({*found.callers, *found.keepers})
    facts.shares.update(set(found.shares))
    facts.same.update(set(found.same))
    facts.twins += found.has_twins


_SINGLE = frozenset({Shape.NAME, Shape.OUT, Shape.FIRST})
"""The shapes of which one part is told, unless an operand comes before."""


def _qualified(cls: type) -> str:
    """Return the name of a class as programs write it: `torch.nn.ReLU`."""
    return f"{cls.__module__.partition('.modules.')[0]}.{cls.__name__}"


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
