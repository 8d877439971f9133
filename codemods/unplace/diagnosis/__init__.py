"""Finds the line behind an in-place error: runs a program under observation, and explains the failure as it happens."""

from __future__ import annotations

import sys
from types import TracebackType

from unplace.diagnosis.diagnosis import Diagnosis
from unplace.diagnosis.diagnosis import diagnose as explain
from unplace.diagnosis.incident import Incident
from unplace.diagnosis.observation import Observation

__all__ = ["Diagnosis", "Diagnosed"]


class Diagnosed:
    """Code under diagnosis: `with Diagnosed() as run: ...`.

    An in-place error goes its way as torch raised it. The diagnosis is attached to it as a note (printed to standard
    error by Pythons before 3.11), and `run.diagnoses` has it too.
    """

    def __init__(self) -> None:
        self.diagnoses: list[Diagnosis] = []
        self._observation = Observation(self._explain)

    def __enter__(self) -> Diagnosed:
        self._observation.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._observation.__exit__(kind, error, traceback)

    def _explain(self, error: RuntimeError, incident: Incident) -> None:
        diagnosis = explain(incident)
        self.diagnoses.append(diagnosis)
        text = "\n".join(diagnosis.lines())
        if sys.version_info >= (3, 11):
            error.add_note(f"\n{text}")
        else:
            sys.stderr.write(f"{text}\n")
