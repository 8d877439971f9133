"""Keeps how the functions of a program are called: as programs that make such calls again."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from pathlib import Path
from types import FrameType

import torch

from unplace.observation.facts import MOST_CALLS, Observations
from unplace.observation.keys import Function
from unplace.observation.specifications import CannotDescribeError, Constructed, described

_FIRST = 3
"""The number of different calls that are kept whatever they reach."""
_LOOKED_AT = 100
"""The number of calls of a function that are described."""
_CONSTRUCTED = 1_000
"""The number of objects of a class whose construction is described."""
_AGAIN = 20
"""The number of calls that are described because an earlier one, which wasn't, had reached an operation."""
_PENDING = 64
"""The number of calls that haven't ended, as far as is known."""
_SUSPENDING = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_INIT = ".__init__"

File = str


class Calls:
    """Keeps, for each function, its first different calls, and for each of its operations one that reaches it."""

    def __init__(self, observations: Observations) -> None:
        """Keep calls in these observations."""
        self._observations = observations
        self._constructed = Constructed()
        self._operations: dict[tuple[File, Function], set[int]] = {}  # those that no kept call has reached
        self._functions: dict[int, tuple[File, Function]] = {}
        self._looked_at: Counter[tuple[File, Function]] = Counter()
        self._missing: Counter[int] = Counter()
        self._pending: dict[int, tuple[tuple[File, Function], str]] = {}

    def register(self, file: File, function: Function, number: int) -> None:
        """Take an operation of a function."""
        self._operations.setdefault((file, function), set()).add(number)
        self._functions[number] = file, function

    def restart(self) -> None:
        """Forget all calls, in a process that was forked and reports what it sees itself."""
        self._observations.calls.clear()
        self._looked_at.clear()
        self._pending.clear()

    def entered(self, file: File, function: Function, frame: FrameType) -> None:
        """Take a call of a function of a file that begins, or the construction of an object."""
        key = file, function
        self._pending.pop(id(frame), None)
        is_constructor = function.name.endswith(_INIT)
        most = _CONSTRUCTED if is_constructor else _LOOKED_AT
        if torch._C._is_any_autocast_enabled() or self._looked_at[key] >= most:
            return
        names = {"__main__": Path(file).stem}
        if is_constructor:
            self._looked_at[key] += 1
            made = frame.f_locals[frame.f_code.co_varnames[0]]
            self._constructed.note(made, frame.f_locals, frame.f_code, names)
            return
        known = self._observations.calls_of(file, function)
        wants_any = len(known) < _FIRST and torch.is_grad_enabled()
        wants_more = wants_any or (len(known) < MOST_CALLS and self._operations.get(key))
        if not wants_more or frame.f_code.co_flags & _SUSPENDING:
            return
        self._looked_at[key] += 1
        with suppress(CannotDescribeError):
            program = described(function.name, frame, self._constructed, names)
            if wants_any:
                known[program] += 1
            while len(self._pending) >= _PENDING:
                del self._pending[next(iter(self._pending))]
            self._pending[id(frame)] = key, program

    def reached(self, number: int, frame: FrameType) -> None:
        """Take an operation that runs in a frame: the call that reaches it is kept if none of those kept does."""
        key, program = self._pending.get(id(frame), (None, ""))
        if key is None:
            self._missed(number)
        elif number in self._operations.get(key, ()):
            known = self._observations.calls_of(*key)
            if program in known or len(known) < MOST_CALLS:
                known[program] += 1
                self._operations[key].discard(number)

    def _missed(self, number: int) -> None:
        """Look at further calls of a function, one of which may reach an operation again."""
        key = self._functions[number]
        if number in self._operations[key] and self._missing[number] < _AGAIN:
            self._missing[number] += 1
            self._looked_at[key] = min(self._looked_at[key], _LOOKED_AT - 1)
