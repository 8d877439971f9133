"""Finds the line behind an in-place error: runs a program under observation and explains the failure as it happens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from unplace.diagnosis.diagnosis import Diagnosis
from unplace.diagnosis.diagnosis import diagnose as explain
from unplace.diagnosis.incident import Incident
from unplace.diagnosis.observation import Observation

__all__ = ["Diagnosed", "Diagnosis"]


class Diagnosed:
    """A context manager that diagnoses the code in its block: `with Diagnosed() as run: ...`.

    An in-place error is raised as it is by torch. The diagnosis is attached to it as a note (before Python 3.11 it is
    printed to standard error instead), and `run.diagnoses` has it too.
    """

    def __init__(
        self,
        *,
        silent: bool = False,
        before_backward: Callable[[Sequence[Any]], None] | None = None,
        reports: bool = True,
        notes: bool = True,
    ) -> None:
        """Take the options of the diagnosis.

        `silent` also finds what changes gradients without an error; with `reports`, the end of the block prints those
        diagnoses to standard error; with `notes`, an exception carries its own. `before_backward` is called with the
        tensors from which each backward starts.
        """
        self._reports = reports
        self._notes = notes
        self.diagnoses: list[Diagnosis] = []
        self._observation = Observation(self._explain, before_backward, is_silent=silent)

    def __enter__(self) -> Diagnosed:
        self._observation.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._observation.__exit__(kind, error, traceback)
        if self._reports:
            sys.stderr.writelines(f"{diagnosis.text}\n" for diagnosis in self.diagnoses if diagnosis.is_silent)

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values: the first error and, under `silent`, what went wrong without one."""
        errors = [diagnosis for diagnosis in self.diagnoses if not diagnosis.is_silent]
        report: dict[str, Any] = errors[0].document() if errors else {"error": None}
        return {**report, "silent": [diagnosis.document() for diagnosis in self.diagnoses if diagnosis.is_silent]}

    def unseen(self, error: BaseException | None) -> list[Diagnosis]:
        """Return the diagnoses that aren't printed with an exception, as neither it nor a cause of it carries them."""
        carried = []
        while error is not None:
            carried.append(getattr(error, "unplace", None))
            error = error.__cause__ or error.__context__
        return [diagnosis for diagnosis in self.diagnoses if all(diagnosis is not known for known in carried)]

    def _explain(self, error: RuntimeError | None, incident: Incident) -> None:
        diagnosis = explain(incident)
        self.diagnoses.append(diagnosis)
        if error is None:
            return
        error.unplace = diagnosis  # type: ignore[attr-defined]
        if not self._notes:
            return
        if sys.version_info >= (3, 11):
            error.add_note(f"\n{diagnosis.text}")
        else:
            sys.stderr.write(f"{diagnosis.text}\n")
