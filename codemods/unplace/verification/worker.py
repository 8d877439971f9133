"""Runs a side of a comparison in a process of its own, with limits on its time and memory.

Users' code is imported under its real names there and nowhere else, so two versions of a package never meet: not in
`sys.modules`, and not in the registries of other libraries.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any

import torch

from unplace.verification.entries import Target, open_entry
from unplace.verification.examples import Maker, Program
from unplace.verification.loading import CannotRunError
from unplace.verification.measuring import Cost, measure
from unplace.verification.observe import Gradient, Observation, describe
from unplace.verification.randomness import seeded
from unplace.verification.reference import Directions
from unplace.verification.resource_limits import Limits
from unplace.verification.sides import Local

TRAIN, EVAL, AUTOCAST = "train", "eval", "autocast"

ANSWER_BY_RAISING = ("finite_differences", "slopes")
"""The methods of `Local` whose `RuntimeError` is an answer, and no failure of the process."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The first answer of a process, once the module is imported: the modes to compare, and how arguments were made."""

    modes: tuple[str, ...]
    choice: int | None
    made: str | None


class Worker:
    """A process that runs one version of a module, as a context manager.

    Raises `CannotRunError` where the module can't be imported or called, or a limit is met.
    """

    def __init__(self, target: Target, limits: Limits, error: type[CannotRunError] = CannotRunError) -> None:
        """Start the process; `error` is the class of the exception where the code can't be run."""
        context = _context()
        self._limits = limits
        self._error = error
        self._connection, theirs = context.Pipe()
        self._process: Any = context.Process(target=_serve, args=(theirs, target, limits), daemon=True)  # type: ignore[attr-defined]
        self._process.start()
        theirs.close()
        try:
            self.opened: Opened = self._answer(f"importing {target.file.path}")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Worker:
        """Return the worker itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process and those that it started."""
        self.close()

    def ask(self, question: str, mode: str, **keywords: object) -> Any:
        """Call a method of `Local`, or `measure`, in the process and return its result."""
        with contextlib.suppress(BrokenPipeError):  # it is dead, as reading its answer will tell
            self._connection.send((question, mode, keywords))
        return self._answer(question.replace("_", " "))

    def close(self) -> None:
        """End the process and those that it started."""
        self._connection.close()
        if self._process.is_alive() and self._process.pid is not None:
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):  # not yet, or no longer, a group
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
        self._process.join()

    def _answer(self, step: str) -> Any:
        if not self._connection.poll(self._limits.seconds):
            raise self._error(f"timed out: {step} took more than {self._limits.seconds:g} s (--timeout sets the limit)")
        try:
            kind, value = pickle.loads(self._connection.recv_bytes())
        except EOFError:
            self._process.join(5)
            raise self._error(f"its process died ({_reason(self._process.exitcode)}) while {step}") from None
        if kind == "answer":
            return value
        raise (self._error if kind == "cannot" else RuntimeError)(value)


@dataclass(frozen=True, slots=True)
class Remote:
    """A side that a worker runs in one of its modes; see `Side`."""

    worker: Worker
    mode: str

    def observe(self, *, wide: bool = False, backward: bool = True) -> Observation:
        """See `Side`."""
        return self.worker.ask("observe", self.mode, wide=wide, backward=backward)  # type: ignore[no-any-return]

    def forward_only(self, *, wide: bool = False) -> Observation:
        """See `Side`."""
        return self.worker.ask("forward_only", self.mode, wide=wide)  # type: ignore[no-any-return]

    def with_saved_copies(self, *, wide: bool = False) -> Observation:
        """See `Side`."""
        return self.worker.ask("with_saved_copies", self.mode, wide=wide)  # type: ignore[no-any-return]

    def finite_differences(self) -> tuple[Gradient, ...]:
        """See `Side`."""
        return self.worker.ask("finite_differences", self.mode)  # type: ignore[no-any-return]

    def slopes(self, directions: Directions) -> tuple[torch.Tensor, ...]:
        """See `Side`."""
        return self.worker.ask("slopes", self.mode, directions=directions)  # type: ignore[no-any-return]

    def measure(self, *, backward: bool) -> Cost:
        """Measure the time and memory of a pass."""
        return self.worker.ask("measure", self.mode, backward=backward)  # type: ignore[no-any-return]


def _context() -> BaseContext:
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # read when torch is loaded: the profiler announces itself else
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])  # torch is imported once, by a process that never computes anything
    return context


def _reason(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"exit code {exitcode}"
    name = signal.Signals(-exitcode).name
    return f"{name}: out of memory, perhaps" if name == "SIGKILL" else name


# -- in the process ---------------------------------------------------------------------------------------------------


def _serve(connection: Connection, target: Target, limits: Limits) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # so that what the code starts ends with it, and an interrupt is ours to handle
    os.dup2(sys.stderr.fileno(), 1)  # standard output belongs to the report
    sys.dont_write_bytecode = True
    limits.apply()
    try:
        with seeded():  # both versions start from the same tensors where a module makes them as it is imported
            entry = open_entry(target)
        reply: tuple[str, object] = "answer", Opened(_modes(entry.make), entry.choice, entry.made)
    except Exception as error:
        connection.send_bytes(pickle.dumps(("cannot", _plain(error))))
        return
    while True:
        connection.send_bytes(pickle.dumps(reply))
        try:
            question, mode, keywords = connection.recv()
        except EOFError:
            return
        try:
            reply = "answer", _asked(entry.make, question, mode, keywords)
        except Exception as error:
            is_answer = isinstance(error, RuntimeError) and question in ANSWER_BY_RAISING and not _is_memory(error)
            reply = "error" if is_answer else "cannot", _plain(error)


def _asked(make: Maker, question: str, mode: str, keywords: dict[str, Any]) -> object:
    make = _in_mode(make, mode)
    if question == "measure":
        return measure(make, **keywords)
    return getattr(Local(make), question)(**keywords)


def _modes(make: Maker) -> tuple[str, ...]:
    """Return the modes in which a program is compared: for a `torch.nn.Module`, `train` (if it is in training mode),
    `eval`, and `autocast` where it has floating-point parameters on the CPU and runs under it; else only `""`.
    """
    with seeded():
        function = make().function
    if not isinstance(function, torch.nn.Module):
        return ("",)
    is_mixed = any(p.is_floating_point() and p.device.type == "cpu" for p in function.parameters())
    is_mixed = is_mixed and Local(_in_mode(make, AUTOCAST)).forward_only().error is None
    return ((TRAIN, EVAL) if function.training else (EVAL,)) + ((AUTOCAST,) if is_mixed else ())


def _in_mode(make: Maker, mode: str) -> Maker:
    if mode == AUTOCAST:
        return lambda: replace(make(), autocast=True)
    if mode != EVAL:
        return make

    def make_for_evaluation() -> Program:
        program = make()
        assert isinstance(program.function, torch.nn.Module)
        program.function.eval()
        return program

    return make_for_evaluation


def _is_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError | torch.cuda.OutOfMemoryError) or "can't allocate memory" in str(error)


def _plain(error: Exception) -> str:
    if _is_memory(error):
        return "it ran out of memory (--memory sets the limit)"
    return str(error) if isinstance(error, CannotRunError) else describe(error)
