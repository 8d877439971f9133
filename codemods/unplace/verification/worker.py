"""Runs a side of a comparison in a process of its own, with limits on its time and memory.

Users' code is imported under its real names there and nowhere else, so two versions of a package never meet: not in
`sys.modules`, and not in the registries of other libraries.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pickle
import signal
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any

import torch

from unplace.verification.entries import Target, open_entry
from unplace.verification.examples import Maker
from unplace.verification.loading import CannotRunError, ModuleFile, load
from unplace.verification.measuring import Cost, measure
from unplace.verification.modes import in_mode, modes, variations
from unplace.verification.observe import Gradient, Observation, describe
from unplace.verification.randomness import seeded
from unplace.verification.reaching import reached, written_arguments
from unplace.verification.reference import Directions
from unplace.verification.resource_limits import Limits
from unplace.verification.side_effects import forbid_side_effects
from unplace.verification.sides import Local

ANSWER_BY_RAISING = ("finite_differences", "slopes")
"""The methods of `Local` whose `RuntimeError` is an answer, and no failure of the process."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The first answer of a process, once the module is imported: the modes to compare, and how arguments were made."""

    modes: tuple[str, ...]
    choice: int | None
    made: str | None


class Home:
    """A process that has imported one version of a module, as a context manager.

    Where it `forks`, each worker is a process of its own that begins with the module as it was imported: what one does
    to the module the next doesn't see, and importing costs once. Otherwise the process serves one worker. Where it is
    `guarded`, it may have no side effects: nobody wrote the calls that are made in it.
    """

    def __init__(self, file: ModuleFile, limits: Limits, *, forks: bool = False, guarded: bool = False) -> None:
        """Start the process, which begins to import the file."""
        context = _context()
        self.limits = limits
        self.is_imported = False
        self._path = file.path
        self._numbers = itertools.count(1)
        self._connection, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, file, limits, forks, guarded), daemon=True)  # type: ignore[attr-defined]
        self._process: Any = process
        self._process.start()
        theirs.close()

    def __enter__(self) -> Home:
        """Return the process itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process and those that it started."""
        self.close()

    def begin(self, target: Target, error: type[CannotRunError]) -> tuple[int, Opened]:
        """Begin a worker for a target, once the module is imported; return its number and its first answer."""
        step = f"importing {self._path}"
        if not self.is_imported:
            self.answer(0, step, error)
            self.is_imported = True
        number = next(self._numbers)
        self.send((number, target))
        return number, self.answer(number, step, error)

    def send(self, message: object) -> None:
        """Send a message to the process."""
        with contextlib.suppress(BrokenPipeError):  # it is dead, as reading its answer will tell
            self._connection.send(message)

    def answer(self, number: int, step: str, error: type[CannotRunError]) -> Any:
        """Return the answer to a worker's question; raise `error` where the code can't be run."""
        answered = -1
        while answered != number:  # the end of a worker that died after its last answer is no answer
            if not self._connection.poll(self.limits.seconds):
                self.close()
                limit = f"{self.limits.seconds:g} s (--timeout sets the limit)"
                raise error(f"timed out: {step} took more than {limit}")
            try:
                answered, kind, value = pickle.loads(self._connection.recv_bytes())
            except EOFError:
                self._process.join(5)
                raise error(f"its process died ({_reason(self._process.exitcode)}) while {step}") from None
        if kind == "answer":
            return value
        raise (RuntimeError if kind == "error" else error)(value if kind != "died" else f"{value} while {step}")

    @property
    def is_alive(self) -> bool:
        """Whether the process can begin another worker."""
        return not self._connection.closed and bool(self._process.is_alive())

    def close(self) -> None:
        """End the process and those that it started."""
        self._connection.close()
        if self._process.is_alive() and self._process.pid is not None:
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):  # not yet, or no longer, a group
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
        self._process.join()


class Worker:
    """A process that runs one version of a module, as a context manager.

    Raises `CannotRunError` where the module can't be imported or called, or a limit is met.
    """

    def __init__(
        self,
        target: Target,
        limits: Limits,
        error: type[CannotRunError] = CannotRunError,
        *,
        home: Home | None = None,
    ) -> None:
        """Start the process, in a home that forks if one is given; `error` is the class of its exceptions."""
        self._error = error
        self._is_guest = home is not None
        self._home = home or Home(target.file, limits, guarded=target.is_varied)
        try:
            self._number, self.opened = self._home.begin(target, error)
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
        """Call a method of `Local`, or another function of a program, in the process and return its result."""
        self._home.send((question, mode, keywords))
        return self._home.answer(self._number, question.replace("_", " "), self._error)

    def close(self) -> None:
        """End the process and those that it started."""
        if not self._is_guest:
            self._home.close()
        elif self._home.is_alive:
            self._home.send(None)


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


def _serve(connection: Connection, file: ModuleFile, limits: Limits, forks: bool, guarded: bool) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # so that what the code starts ends with it, and an interrupt is ours to handle
    os.dup2(sys.stderr.fileno(), 1)  # standard output belongs to the report
    sys.dont_write_bytecode = True
    limits.apply()
    if forks:
        torch.set_num_threads(1)  # a process that was forked can't use the threads of the other one
    if guarded:
        forbid_side_effects()
        nothing = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):  # what the code says in calls that nobody wrote is of no use
            os.dup2(nothing, stream)
    try:
        with seeded():  # both versions start from the same tensors where a module makes them as it is imported
            load(file)
        _send(connection, 0, "answer", None)
    except Exception as error:
        _send(connection, 0, "cannot", _plain(error))
        return
    with contextlib.suppress(EOFError):
        while True:
            message = connection.recv()
            if message is None:
                continue  # for a worker that has died meanwhile
            number, target = message
            if not forks:
                _work(connection, number, target)
                return
            process = os.fork()
            if process == 0:
                code = 1
                try:
                    _work(connection, number, target)
                    code = 0
                finally:
                    os._exit(code)  # not as the home would: what it has begun is its own to end
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            if code != 0:
                _send(connection, number, "died", f"its process died ({_reason(code)})")


def _work(connection: Connection, number: int, target: Target) -> None:
    """Answer the questions about a target until the worker ends; the module has been imported."""
    try:
        with seeded():
            entry = open_entry(target)
        found = variations(entry.make) if target.is_varied else modes(entry.make)
        kind, value = "answer", Opened(found, entry.choice, entry.made)
    except Exception as error:
        _send(connection, number, "cannot", _plain(error))
        return
    _send(connection, number, kind, value)
    while (message := connection.recv()) is not None:
        question, mode, keywords = message
        try:
            _send(connection, number, "answer", _asked(entry.make, question, mode, keywords))
        except Exception as error:
            is_answer = isinstance(error, RuntimeError) and question in ANSWER_BY_RAISING and not _is_memory(error)
            _send(connection, number, "error" if is_answer else "cannot", _plain(error))


def _send(connection: Connection, number: int, kind: str, value: object) -> None:
    connection.send_bytes(pickle.dumps((number, kind, value)))


def _asked(make: Maker, question: str, mode: str, keywords: dict[str, Any]) -> object:
    make = in_mode(make, mode)
    if question == "measure":
        return measure(make, **keywords)
    if question == "reached":
        return reached(make, **keywords)
    if question == "writes":
        return written_arguments(make)
    return getattr(Local(make), question)(**keywords)


def _is_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError | torch.cuda.OutOfMemoryError) or "can't allocate memory" in str(error)


def _plain(error: Exception) -> str:
    if _is_memory(error):
        return "it ran out of memory (--memory sets the limit)"
    return str(error) if isinstance(error, CannotRunError) else describe(error)
