"""Finds the line behind an in-place error: runs a program under observation, and explains the failure as it happens."""

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
    """Code under diagnosis: `with Diagnosed() as run: ...`.

    An in-place error goes its way as torch raised it. The diagnosis is attached to it as a note (printed to standard
    error by Pythons before 3.11), and `run.diagnoses` has it too.
    """

    def __init__(
        self,
        *,
        silent: bool = False,
        before_backward: Callable[[Sequence[Any]], None] | None = None,
        reports: bool = True,
    ) -> None:
        """`silent` also finds what changes gradients without an error.

        `before_backward` is given what each call of backward starts from. With `reports` the end of the block prints
        what `silent` found to standard error.
        """
        self._reports = reports
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
        """The report for programs: the first error, and under `silent` what went wrong without one."""
        errors = [diagnosis for diagnosis in self.diagnoses if not diagnosis.is_silent]
        report: dict[str, Any] = errors[0].document() if errors else {"error": None}
        return {**report, "silent": [diagnosis.document() for diagnosis in self.diagnoses if diagnosis.is_silent]}

    def unseen(self, error: BaseException | None) -> list[Diagnosis]:
        """The diagnoses that an exception doesn't carry to whoever prints it."""
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
        if sys.version_info >= (3, 11):
            error.add_note(f"\n{diagnosis.text}")
        else:
            sys.stderr.write(f"{diagnosis.text}\n")
