"""Runs a program once in this process and writes down its backwards and steps: see `Request`.

The random generators start from one seed, so that two runs of a program differ only where their code does.
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch
from zlib import crc32

import torch
import torch.distributed as dist
from torch.autograd.graph import allow_mutation_on_saved_tensors
from torch.nn.modules.module import register_module_buffer_registration_hook
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from unplace.diagnosis.contents import checksum, is_dense
from unplace.diagnosis.launcher import Program
from unplace.diagnosis.places import is_foreign
from unplace.loops.creations import parameters_given
from unplace.loops.events import BACKWARD, STEP, ZERO, Event, Log, Spot, State
from unplace.loops.surroundings import Held, graphs_in, parameters_in
from unplace.observation import errors
from unplace.observation.backwards import watched_backwards
from unplace.observation.graphs import roots, walk
from unplace.verification import randomness

_ROUNDS = 2
"""The rounds past a failure that are compared."""
_MOST = 4096
"""The number of steps after which a run ends in any case."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run: with `keeps`, each backward uses the values that were saved for it, however they were overwritten.

    With `is_frozen`, steps change no weights. `asked` is the number of the backward around which to look. The run ends
    when each optimizer has stepped as often as `until` says, or, without that, some rounds behind the backward `asked`.
    """

    program: Program
    keeps: bool
    is_frozen: bool = False
    asked: int | None = None
    until: Mapping[int, int] | None = None


class _Enough(BaseException):
    """Raised to end the program once enough of it has been seen."""


def record(request: Request) -> Log:
    """Run a program in this process and return what it showed."""
    recorder = _Recorder(request)
    exit_code, error = 0, ""
    with recorder.watching(), randomness.seeded():
        try:
            request.program.run()
        except _Enough:
            pass
        except SystemExit as end:
            exit_code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException as failure:  # the program's own end, whatever it is
            exit_code, error = 1, f"{type(failure).__name__}: {failure}"
    return recorder.log(exit_code, error)


class _Recorder:
    def __init__(self, request: Request) -> None:
        self._request = request
        self._events: list[Event] = []
        self._optimizers: list[weakref.ref[Optimizer]] = []
        self._made: list[str] = []
        self._buffers: list[tuple[weakref.ref[torch.nn.Module], str]] = []
        self._folder = Path.cwd()
        self._steps = Counter[int]()
        self._backwards = 0
        self._depth = 0
        self._goal: Mapping[int, int] | None = request.until
        self._is_asked = False
        self._failed_at: int | None = None
        self._frames: list[tuple[FrameType, int]] = []
        self._numbers = itertools.count()
        self._states_before: dict[tuple[str, str], Mapping[str, Held]] = {}
        self._parameters: dict[int, tuple[tuple[str, ...], ...]] = {}
        self._states: tuple[State, ...] = ()
        self._weights: list[torch.Tensor] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        with ExitStack() as stack:
            for hook in (
                register_optimizer_step_pre_hook(self._before_step),
                register_optimizer_step_post_hook(self._after_step),
                register_module_buffer_registration_hook(self._registered),
            ):
                stack.callback(hook.remove)
            stack.enter_context(patch.object(Optimizer, "__init__", self._noting_creation(Optimizer.__init__)))
            stack.enter_context(patch.object(Optimizer, "zero_grad", self._noting_zero(Optimizer.zero_grad)))
            stack.enter_context(
                patch.object(torch.nn.Module, "zero_grad", self._noting_zero(torch.nn.Module.zero_grad))
            )
            stack.enter_context(watched_backwards(self._backward))
            kept: AbstractContextManager[Any] = (
                allow_mutation_on_saved_tensors() if self._request.keeps else nullcontext()
            )
            stack.enter_context(kept)
            yield

    def log(self, exit_code: int, error: str) -> Log:
        return Log(
            tuple(self._events),
            exit_code,
            error,
            self._failed_at,
            self._parameters,
            self._states,
            dist.is_available() and dist.is_initialized(),
            tuple(_gradients(optimizer) for number, optimizer in self._alive() if not self._steps[number]),
        )

    # -- events ---------------------------------------------------------------------------------------------------

    def _noting_creation(self, make: Callable[..., None]) -> Callable[..., None]:
        def made(optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
            make(optimizer, *args, **kwargs)
            self._optimizers.append(weakref.ref(optimizer))
            frame = next(_own_frames(sys._getframe(1)), None)
            self._made.append("" if frame is None else parameters_given(frame.f_code.co_filename, _span(frame)))

        return made

    def _noting_zero(self, zero: Callable[..., None]) -> Callable[..., None]:
        def noted(owner: Optimizer | torch.nn.Module, *args: Any, **kwargs: Any) -> None:
            held = {id(p) for p in _held(owner)}
            reached = [n for n, o in self._alive() if held.issuperset(map(id, _held(o)))]
            if reached:
                self._events.append(Event(ZERO, tuple(reached), self._stack(sys._getframe(1))))
            zero(owner, *args, **kwargs)

        return noted

    def _before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        number = next((n for n, o in self._alive() if o is optimizer), None)
        if number is None:
            return
        weights = _held(optimizer)
        frame = sys._getframe(1)
        values = crc32(repr([_sum(p) for p in weights]).encode())
        self._events.append(
            Event(STEP, (number,), self._stack(frame), _gradients(optimizer), values, self._surroundings())
        )
        self._steps[number] += 1
        if self._is_reached():
            raise _Enough
        if self._request.asked is not None and not self._is_asked:
            for own in _own_frames(frame):
                self._states_before[own.f_code.co_filename, own.f_code.co_name] = graphs_in(own)
        if self._request.is_frozen:
            self._weights = [p.detach().clone() for p in weights]

    def _after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._weights:
            for parameter, before in zip(_held(optimizer), self._weights, strict=True):
                parameter.data.copy_(before)
            self._weights = []

    def _is_reached(self) -> bool:
        if self._steps.total() >= _MOST:
            return True
        if self._goal is None and self._is_asked:  # some more of each that has stepped, from the backward asked about
            self._goal = {n: self._steps[n] + _ROUNDS for n in self._steps}
        return self._goal is not None and all(self._steps[n] >= count for n, count in self._goal.items())

    def _backward(self, engine: Callable[..., Any], outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        if self._depth:
            return engine(outputs, *args, **kwargs)
        number, self._backwards = self._backwards, self._backwards + 1
        starts = crc32(repr([_sum(output) for output in outputs if isinstance(output, torch.Tensor)]).encode())
        self._events.append(Event(BACKWARD, (), self._stack(frame), starts))
        if number == self._request.asked:
            self._look_around(frame, outputs)
        self._depth += 1
        try:
            return engine(outputs, *args, **kwargs)
        except RuntimeError as error:
            if self._failed_at is None and errors.recognise(error) is not None:
                self._failed_at = number
            raise
        finally:
            self._depth -= 1

    # -- facts ----------------------------------------------------------------------------------------------------

    def _alive(self) -> list[tuple[int, Optimizer]]:
        found = ((number, reference()) for number, reference in enumerate(self._optimizers))
        return [(number, optimizer) for number, optimizer in found if optimizer is not None]

    def _stack(self, frame: FrameType) -> tuple[Spot, ...]:
        own = list(_own_frames(frame))
        known = dict(self._frames)
        self._frames = [(each, known[each] if each in known else next(self._numbers)) for each in own]
        return tuple(Spot(self._path(f), f.f_code.co_name, number, _span(f)) for f, number in self._frames)

    def _path(self, frame: FrameType) -> str:
        return os.path.normpath(self._folder / frame.f_code.co_filename)

    def _registered(self, module: torch.nn.Module, name: str, buffer: torch.Tensor | None) -> None:
        self._buffers.append((weakref.ref(module), name))

    def _surroundings(self) -> int:
        owners = ((reference(), name) for reference, name in self._buffers)
        buffers = [module._buffers.get(name) for module, name in owners if module is not None]
        return crc32(repr([_sum(b) for b in buffers if b is not None] + sorted(randomness.state().items())).encode())

    def _look_around(self, frame: FrameType, outputs: Sequence[Any]) -> None:
        self._is_asked = True
        own = list(_own_frames(frame))
        for number, optimizer in self._alive():
            made = self._made[number]
            self._parameters[number] = tuple(tuple(parameters_in(each, optimizer, made)) for each in own)
        graph = set(walk(roots(outputs)))
        spots = self._events[-1].stack
        self._states = tuple(
            State(text, held.form, spot)
            for each, spot in zip(own, spots, strict=True)
            for text, held in self._states_before.get((each.f_code.co_filename, each.f_code.co_name), {}).items()
            if _is_carried(held, graphs_in(each).get(text), graph)
        )
        self._states_before.clear()
        gc.collect()


def _is_carried(before: Held, now: Held | None, graph: set[Any]) -> bool:
    """Tell whether a value of the last round is in the graph, and the value of the same name was computed from it."""
    if now is None or set(before.nodes) & set(now.nodes) or not graph.intersection(before.nodes):
        return False
    return not set(before.nodes).isdisjoint(walk(now.nodes))


def _sum(tensor: torch.Tensor) -> int:
    return checksum(tensor) if is_dense(tensor) else hash(str(tensor))


def _gradients(optimizer: Optimizer) -> int:
    return crc32(repr([None if p.grad is None else _sum(p.grad) for p in _held(optimizer)]).encode())


def _held(owner: Optimizer | torch.nn.Module) -> list[torch.Tensor]:
    if isinstance(owner, torch.nn.Module):
        return list(owner.parameters())
    return [parameter for group in owner.param_groups for parameter in group["params"]]


def _own_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames of the user's own code, the innermost first."""
    while frame is not None:
        if not is_foreign(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _span(frame: FrameType) -> tuple[int, int, int, int]:
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is not None:  # from Python 3.11 on
        found = next(itertools.islice(positions(), frame.f_lasti // 2, None), None)
        if found is not None and None not in found:
            line, end_line, column, end_column = found
            return line, column, end_line, end_column
    return frame.f_lineno, -1, frame.f_lineno, -1
