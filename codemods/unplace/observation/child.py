"""Observes the process that it is imported in, and writes its facts when the process ends.

`unplace observe` has each Python process of a program import this module through `sitecustomize`.
"""

from __future__ import annotations

import atexit
import builtins
import os
import sys
import uuid
from multiprocessing import util
from pathlib import Path
from typing import Any

from unplace.observation.facts import Key, read
from unplace.observation.instrument import NAME, Shape

ROOT, FOLDER, KNOWN = "UNPLACE_OBSERVED_ROOT", "UNPLACE_OBSERVED_FACTS", "UNPLACE_OBSERVED_BEFORE"
"""The environment variables that name the project's folder, the folder for facts, one file for each process, and the
file of facts from earlier runs; that one may not exist.
"""


class _Waiting:
    """Stands for the recorder, which needs torch, until the program itself has imported that."""

    def __init__(self, root: str, folder: str) -> None:
        self._root, self._folder = root, Path(folder)
        self._operations: list[tuple[str, Key, Shape, str, str]] = []
        self._recorder: Any = None
        setattr(builtins, NAME, self)

    def register(self, *operation: Any) -> int:
        """Take an operation, and return its number."""
        if self._recorder is not None:
            number: int = self._recorder.register(*operation)
            return number
        self._operations.append(operation)
        return len(self._operations) - 1

    def __call__(self, number: int, part: str, value: Any) -> Any:
        """Take the value of a part of an operation, and return it."""
        if self._recorder is None and "torch" in sys.modules:
            from unplace.observation.recorder import Recorder

            known = Path(os.environ.get(KNOWN, ""))
            self._recorder = Recorder(self._root, known=read(known) if known.is_file() else None)
            for operation in self._operations:
                self._recorder.register(*operation)
            setattr(builtins, NAME, self._recorder)
        return value if self._recorder is None else self._recorder.tell(number, part, value, sys._getframe(1))

    def forked(self) -> None:
        """Forget what the process saw before it was forked: that one tells of it itself."""
        if self._recorder is not None:
            self._recorder.restart()

    def begin_worker(self) -> None:
        """Have a worker process of multiprocessing write its facts: one that was forked runs no `atexit`."""
        util.Finalize(None, self.dump, exitpriority=100)

    def dump(self) -> None:
        """Write the facts, unless nobody waits for them any more."""
        if self._recorder is not None and self._folder.is_dir():
            self._recorder.observations.write(self._folder / f"{uuid.uuid4().hex}.json")
        self._recorder = None


def install() -> None:
    """Have the project's modules instrumented from now on."""
    from unplace.observation.importing import Instrumenting

    observed = _Waiting(os.environ[ROOT], os.environ[FOLDER])
    sys.meta_path.insert(0, Instrumenting(os.environ[ROOT], observed.register))
    atexit.register(observed.dump)
    if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
        os.register_at_fork(after_in_child=observed.forked)
    util.register_after_fork(observed, _Waiting.begin_worker)
