"""Watches a running program: what is recorded for backward, every write to memory, and every call of backward.

Torch's own version check finds the stale value and raises its own error. Saved-tensor hooks would switch off that check
and the program's hooks, so none are used. Instead, anomaly detection is on: autograd asks for a stack for every node
that it makes, and is given a short note.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import Any
from unittest.mock import patch

import torch
import torch.fx.traceback

from unplace.diagnosis import postmortem, silent
from unplace.diagnosis.graph import MARK, Note
from unplace.diagnosis.incident import Incident
from unplace.diagnosis.noted_writes import Write, Writes
from unplace.diagnosis.places import Place, Places, stepping_optimizer
from unplace.diagnosis.torch_calls import Calls, SilentCalls, seen_broadcasts
from unplace.observation import errors
from unplace.observation.backwards import watched_backwards
from unplace.observation.graphs import is_leaf, requires_grad

OnIncident = Callable[[RuntimeError | None, Incident], None]
_ANNOUNCEMENT = (
    rf"\s*(Error detected in|Previous calculation was induced by) [^\n]*(:\n{re.escape(MARK)}| No forward pass)"
)
"""The warning in which autograd names the node at which backward failed; it is hidden unless the program wants it."""
_CALLS_KEPT = 4
"""The number of calls of backward that are remembered for each line that calls it."""


class Observation:
    """A context manager that calls `on_incident` with the exception and the facts of each failure as it happens.

    The program's own exception is then raised as ever. A failure at a place where one has been seen isn't looked at
    again. `before_backward` is called with the tensors from which each backward starts. With `is_silent`, values that
    change without an error are incidents too, without an exception.
    """

    def __init__(
        self,
        on_incident: OnIncident,
        before_backward: Callable[[Sequence[Any]], None] | None = None,
        *,
        is_silent: bool = False,
    ) -> None:
        self._on_incident = on_incident
        self._before_backward = before_backward
        self._is_silent = is_silent
        self._ticks = itertools.count()
        self._places = Places()
        self._writes = Writes()
        if is_silent:
            self._calls: Calls = SilentCalls(self._written, self._failed_call, self._stored)
        else:
            self._calls = Calls(self._written, self._failed_call)
        self._reported: list[Note] = []
        self._backwards: dict[Place, deque[int]] = {}
        self._depth = 0
        self._seen: set[tuple[errors.Kind, Place, Place | None]] = set()
        self._stack = ExitStack()
        self._format_stack = torch.fx.traceback.format_stack
        self._filter: object = None
        self._plain_hint = ""

    def tick(self) -> int:
        """Return the next number in the order in which things happen."""
        return next(self._ticks)

    def __enter__(self) -> Observation:
        self._plain_hint = _plain_hint()
        with ExitStack() as stack:
            stack.callback(torch.set_anomaly_enabled, torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
            torch.set_anomaly_enabled(True, torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled())
            stack.enter_context(patch.object(torch.fx.traceback, "format_stack", self._make_note))
            stack.enter_context(watched_backwards(self.run_backward))
            stack.enter_context(torch.compiler.set_stance("force_eager"))
            stack.enter_context(seen_broadcasts(self._written))
            stack.enter_context(self._calls)
            stack.callback(self._remove_filter)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def run_backward(self, run: Callable[..., Any], outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        """Run autograd's engine, and find the facts about its failure if it fails."""
        place = self._places.called(sys._getframe(1))
        self._ignore_notes()
        if self._before_backward is not None and not self._depth:
            self._before_backward(outputs)
        if self._is_silent:
            with _program_first():
                for incident in silent.changed(outputs, self._writes, self._backwards, place):
                    self._tell(None, incident)
        self._depth += 1
        try:
            with self._calls.resumed():
                result = run(outputs, *args, **kwargs)
        except RuntimeError as error:
            with _program_first():
                self._failed_backward(error, outputs, place)
            raise
        finally:
            self._depth -= 1
            self._reported.clear()
        self._backwards.setdefault(place, deque(maxlen=_CALLS_KEPT)).append(self.tick())
        return result

    def _make_note(self) -> Note:
        """Return a note, in place of the stack for which autograd asks whenever it makes a node."""
        lines = self._format_stack() if torch.is_anomaly_check_nan_enabled() else None
        frame = sys._getframe(1)
        hooks = torch._C._autograd._top_saved_tensors_default_hooks(True)
        checkpoint = None if hooks is None else self._places.through("torch.utils.checkpoint:", frame)
        return Note(self._places.owned(frame), self.tick(), lines, self._reported, checkpoint)

    def _failed_backward(self, error: RuntimeError, outputs: Sequence[Any], place: Place) -> None:
        kind = errors.recognise(error)
        if kind is None or _is_known(error):
            return
        if not torch.is_anomaly_check_nan_enabled():
            _with_hint(error, self._plain_hint)
        incident = postmortem.failed_backward(
            error,
            kind,
            outputs,
            raised_at=place,
            reported=self._reported,
            writes=self._writes,
            backwards=self._backwards,
        )
        self._tell(error, incident)

    def _written(self, name: str, target: torch.Tensor, version: int) -> None:
        frame = sys._getframe(1)
        optimizer = stepping_optimizer(frame)
        write = Write(
            op=name,
            place=self._places.of(frame) if optimizer is None else self._places.called(frame),
            tick=self.tick(),
            version=version,
            shape=tuple(target.shape),
            leaf=is_leaf(target),
            requires_grad=requires_grad(target),
            grad_mode=torch.is_grad_enabled(),
            in_backward=self._depth > 0,
            optimizer=optimizer,
        )
        self._writes.note(target, write)

    def _failed_call(self, error: RuntimeError, name: str, arguments: Sequence[Any]) -> None:
        kind = errors.recognise(error)
        if kind is None or _is_known(error):
            return
        write = Write(name, self._places.of(sys._getframe(1)), self.tick())
        with _program_first():
            self._tell(error, postmortem.failed_call(error, kind, arguments, raised_at=write.place, write=write))

    def _stored(self, target: torch.Tensor, value: Any) -> None:
        write = Write(".data =", self._places.of(sys._getframe(1)), self.tick())
        incident = silent.cut(target, value, write)
        if incident is not None:
            self._tell(None, incident)

    def _tell(self, error: RuntimeError | None, incident: Incident) -> None:
        key = incident.kind, incident.raised_at, None if incident.saved is None else incident.saved.place
        if key not in self._seen:
            self._seen.add(key)
            self._on_incident(error, incident)

    def _ignore_notes(self) -> None:
        # First, so that no other filter makes an error of it; a program's own `catch_warnings` may have taken it away.
        if not warnings.filters or warnings.filters[0] is not self._filter:
            warnings.filterwarnings("ignore", message=_ANNOUNCEMENT)
            self._filter = warnings.filters[0]

    def _remove_filter(self) -> None:
        with suppress(ValueError):  # the program may have reset the filters
            warnings.filters.remove(self._filter)  # type: ignore[attr-defined]


@contextmanager
def _program_first() -> Iterator[None]:
    """Report an exception of our own code in the block, so that it doesn't replace the program's own error."""
    try:
        yield
    except Exception as fault:
        if os.environ.get("UNPLACE_DEBUG"):
            traceback.print_exc()
        sys.stderr.write(f"unplace: internal error: {type(fault).__name__}: {fault}; please report it\n")


def _plain_hint() -> str:
    """Return the hint that closes this torch's messages when anomaly detection is off."""
    before = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    torch.set_anomaly_enabled(False)
    try:
        with torch.inference_mode(False), torch.enable_grad():
            value = torch.zeros((), device="cpu", requires_grad=True).exp()
            value.detach().zero_()
            value.backward()
    except RuntimeError as error:
        return errors.hint(str(error))
    finally:
        torch.set_anomaly_enabled(*before)
    return ""


def _with_hint(error: RuntimeError, hint: str) -> None:
    text = str(error)
    if errors.hint(text):
        error.args = (errors.without_hint(text) + hint,)


def _is_known(error: RuntimeError) -> bool:
    """Tell whether an exception has been seen already, in an inner call, and mark it as seen."""
    known = hasattr(error, "unplace")
    if not known:
        error.unplace = None  # type: ignore[attr-defined]
    return known
