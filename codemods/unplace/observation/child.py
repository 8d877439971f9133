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

from unplace.observation.facts import Key
from unplace.observation.instrument import NAME, Shape

ROOT, FOLDER = "UNPLACE_OBSERVED_ROOT", "UNPLACE_OBSERVED_FACTS"
"""The environment variables that name the project's folder, and the folder for facts, one file for each process."""


class _Lazy:
    """Makes the recorder when the first module with operations is imported: it needs torch."""

    def __init__(self, root: str, folder: str) -> None:
        self.root, self.folder = root, Path(folder)
        self.recorder: Any = None

    def register(self, file: str, key: Key, shape: Shape, target: str, name: str) -> int:
        if self.recorder is None:
            from unplace.observation.recorder import Recorder

            self.recorder = Recorder(self.root)
            setattr(builtins, NAME, self.recorder)
        number: int = self.recorder.register(file, key, shape, target, name)
        return number

    def forked(self) -> None:
        if self.recorder is not None:
            self.recorder.restart()

    def begin_worker(self) -> None:
        util.Finalize(None, self.dump, exitpriority=100)  # a worker that was forked runs no `atexit`

    def dump(self) -> None:
        if self.recorder is not None:
            self.recorder.observations.write(self.folder / f"{uuid.uuid4().hex}.json")
            self.recorder = None


def install() -> None:
    """Have the project's modules instrumented from now on."""
    from unplace.observation.importing import Instrumenting

    observed = _Lazy(os.environ[ROOT], os.environ[FOLDER])
    sys.meta_path.insert(0, Instrumenting(observed.root, observed.register))
    atexit.register(observed.dump)
    os.register_at_fork(after_in_child=observed.forked)
    util.register_after_fork(observed, _Lazy.begin_worker)
