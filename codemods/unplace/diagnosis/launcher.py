"""Runs a program in this process as Python would: a script, a module, or a command that an installed package has."""

from __future__ import annotations

import importlib.metadata
import runpy
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import TracebackType

import torch.overrides

from unplace.diagnosis.places import is_own


class NotFoundError(Exception):
    """Raised where there is no such program; the message is for users."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: `name` is a path or an installed command such as `pytest`; with `is_module`, a module."""

    name: str
    arguments: tuple[str, ...] = ()
    is_module: bool = False

    def check(self) -> None:
        """Raise `NotFoundError` where there is no such program; what is inside a module isn't looked at."""
        if self.is_module:
            if PathFinder.find_spec(self.name.partition(".")[0], [str(Path.cwd()), *sys.path]) is None:
                raise NotFoundError(f"no module named {self.name}")
        elif not Path(self.name).exists():
            _command(self.name)

    def run(self) -> None:
        """Run the program as `__main__`; whatever it raises, `SystemExit` too, is raised here."""
        if self.is_module:
            sys.argv = [self.name, *self.arguments]  # runpy puts the path of the module in place of its name
            sys.path[0] = str(Path.cwd())
            runpy.run_module(self.name, run_name="__main__", alter_sys=True)
        elif Path(self.name).exists():
            sys.argv = [self.name, *self.arguments]
            sys.path[0] = str(Path(self.name).resolve().parent)
            runpy.run_path(self.name, run_name="__main__")
        else:
            command = _command(self.name)
            sys.argv = [shutil.which(self.name) or self.name, *self.arguments]
            sys.path[0] = str(Path(sys.argv[0]).parent)
            sys.exit(command.load()())


def _command(name: str) -> importlib.metadata.EntryPoint:
    found = importlib.metadata.entry_points(group="console_scripts", name=name)
    if not found:
        raise NotFoundError(f"{name}: no such file, and no installed package has a command of that name")
    return next(iter(found))


def report_exception(error: BaseException) -> int:
    """Print an exception as Python prints one that nobody caught, and return the exit code."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        sys.stderr.write(f"{error.code}\n")
        return 1
    sys.excepthook(type(error), error.with_traceback(_of_program(error.__traceback__)), error.__traceback__)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _of_program(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the code that started the program, and without our own frames in between."""
    steps = []
    while traceback is not None:
        steps.append(traceback)
        traceback = traceback.tb_next
    while steps and (is_own(_file(steps[0])) or _file(steps[0]) in _STARTERS):
        del steps[0]
    kept: list[TracebackType] = []
    for step in steps:
        if not is_own(_file(step)):
            kept.append(step)
        elif kept and _file(kept[-1]) == torch.overrides.__file__:  # torch's detour to us, and the call that took it
            del kept[-2:]
    return _linked(kept)


_STARTERS = frozenset({runpy.__file__, "<frozen runpy>", "<frozen importlib._bootstrap>"})


def _file(step: TracebackType) -> str:
    return step.tb_frame.f_code.co_filename


def _linked(steps: Sequence[TracebackType]) -> TracebackType | None:
    linked: TracebackType | None = None
    for step in reversed(steps):
        linked = TracebackType(linked, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return linked
