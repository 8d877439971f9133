"""`--fix`: rewrites culprit after culprit until the program runs, and proves that its forward values stayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unplace.diagnosis.fixes import FileFix, fix_of
from unplace.diagnosis.observed_run import Runner, RunResult
from unplace.diagnostics.findings import Applicability, Finding
from unplace.files.discovery import shown
from unplace.files.writing import replace_contents
from unplace.loops.search import Found, Proved
from unplace.observation.facts import Observations
from unplace.reporting.diff import patch
from unplace.runs.outcome import Change
from unplace.text.source import Source, read_source

_BEYOND = 2
"""A program is taken to run when this many calls of backward succeed from the failing one on, or when it ends."""
_OF_LOOPS = frozenset({"averaging", "hidden-state", "load-state", "old-values", "optimizer-step", "weight-update"})
"""The causes that lie in the order of a training loop and in what its rounds hand on."""
_MOST_ALIKE = 4
"""The number of fixes of a program after which it may fail as before."""


class RepairError(Exception):
    """Raised where the program can't be repaired; every file is as it was, and the message tells the user why."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair: the changed files, whether there were forward values to compare, and the program's exit code now.

    `findings` are the operations that were rewritten; `training` is what was proved of a loop whose order was repaired.
    """

    changes: dict[str, Change]
    verified: bool
    exit_code: int
    findings: tuple[Finding, ...] = ()
    training: Proved | None = None

    @property
    def observed(self) -> tuple[str, ...]:
        """What the edits rest on because a run showed it."""
        return _resting_on(Applicability.OBSERVED, self.findings)

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the edits rest on though nothing shows it."""
        return _resting_on(Applicability.UNSAFE, self.findings)

    @property
    def verdict(self) -> str:
        """A sentence about what is known of the program's values."""
        if self.training is not None:
            return self.training.verdict
        if self.verified:
            return "Each backward that it came to before still starts from the same values."
        return "It failed before its first backward, so there were no values to compare."

    def diff(self) -> str:
        """Return all changes as a patch."""
        return _diff(self.changes)


def _resting_on(applicability: Applicability, findings: Sequence[Finding]) -> tuple[str, ...]:
    known = (f for f in findings if f.applicability is applicability)
    return tuple(dict.fromkeys(told for finding in known for told in finding.assumptions))


def _diff(changes: dict[str, Change]) -> str:
    return "".join(
        line.decode(change.before.encoding, "replace")
        for path, change in changes.items()
        for line in patch(shown(path), change, ())
    )


Observe = Callable[[], Observations]
"""Runs the program and returns what it showed about its operations."""
Reorder = Callable[[int, Sequence[tuple[str, int]]], Found]
"""Looks for a repair of a training loop: takes the number of the backward that fails, and the lines that wrote."""


def repair(runner: Runner, observe: Observe, reorder: Reorder, *, unsafe: bool, tell: Callable[[str], None]) -> Repair:
    """Rewrite one culprit after the other until the program runs; `tell` is called with each further failure.

    `runner` runs the program, and so does `observe` where a rewrite rests on something that a run can show, and
    `reorder` where an optimizer steps too early. Raises `RepairError` where the program can't be repaired.
    """
    files = _Files()
    try:
        repaired = _repaired(runner, observe, reorder, files, unsafe, tell)
        if repaired.assumed and not unsafe:
            tell(repaired.diff())
            raise RepairError(
                f"with the change above the program runs. {repaired.verdict} It assumes:"
                f" {'; '.join(repaired.assumed)}. `--unsafe` applies it"
            )
    except BaseException:
        files.restore()
        raise
    return repaired


def _repaired(
    runner: Runner, observe: Observe, reorder: Reorder, files: _Files, unsafe: bool, tell: Callable[[str], None]
) -> Repair:
    first = result = runner(None, quiet=False)
    while result.diagnosis is not None:
        if result is not first:
            tell(result.text)
        if result.diagnosis["cause"] in _OF_LOOPS:
            training = _trained(result, reorder, files, unsafe, tell)
            return Repair(files.changes(), bool(first.backwards), 0, tuple(files.findings), training)
        result = _rewritten(runner, first, result, files, observe)
    if result.exit_code and not first.exit_code:
        raise RepairError(f"with the rewrite the program ends with exit code {result.exit_code}")
    return Repair(files.changes(), bool(first.backwards), result.exit_code, tuple(files.findings))


def _trained(failed: RunResult, reorder: Reorder, files: _Files, unsafe: bool, tell: Callable[[str], None]) -> Proved:
    """Repair the order of a training loop, and return what is proved of it."""
    found = reorder(failed.calls - 1, [(failed.culprit.path, failed.culprit.line)] if failed.culprit else [])
    if found.is_distributed:
        raise RepairError("each process has to run the same backwards in the same order; the advice above says more")
    repaired = found.proved or (found.chosen if unsafe else None)
    if repaired is not None:
        for path, change in repaired.changes.items():
            files.write(path, change)
        return repaired
    if found.chosen is None:
        raise RepairError("no order was found in which each optimizer gets the same gradients; see the advice above")
    tell(_diff(found.chosen.changes))
    raise RepairError(f"the change above would train otherwise. {found.chosen.verdict} `--unsafe` applies it")


class _Files:
    """The files that are being changed, as they were before the first change."""

    def __init__(self) -> None:
        self._originals: dict[str, Source] = {}
        self.findings: list[Finding] = []
        self.alike = 0  # the fixes after which the program failed as before

    def write(self, path: str, change: Change) -> None:
        self._originals.setdefault(path, change.before)
        replace_contents(path, change.before.data, change.after.data)

    def changes(self) -> dict[str, Change]:
        return {path: Change(source, read_source(Path(path).read_bytes())) for path, source in self._originals.items()}

    def restore(self) -> None:
        for path, change in self.changes().items():
            replace_contents(path, change.after.data, change.before.data)


def _rewritten(runner: Runner, first: RunResult, failed: RunResult, files: _Files, observe: Observe) -> RunResult:
    """Rewrite the first culprit of a failure, run again, and return the result; try further fixes while it fails alike.

    The first culprit has to go in any case; those after it may then write memory that nobody saved. Where all fail
    alike, the first fix stays: it may be one of several that the failure takes.
    """
    alike: list[tuple[FileFix, RunResult]] = []
    for fix in _candidates(failed, observe):
        change = fix.change
        files.write(fix.path, change)
        result = runner(first.calls + _BEYOND, quiet=True)
        if _failure(result) != _failure(failed, fix):
            return _accepted(runner, first, result, files, fix)
        files.write(fix.path, Change(change.after, change.before))
        alike.append((fix, result))
    files.alike += 1
    if files.alike > _MOST_ALIKE:
        raise RepairError("the rewrite of the culprit doesn't remove the error")
    fix, result = alike[0]
    files.write(fix.path, fix.change)
    return _accepted(runner, first, result, files, fix)


def _accepted(runner: Runner, first: RunResult, result: RunResult, files: _Files, fix: FileFix) -> RunResult:
    """Return the result of a run with a fix, whose values have to be those of the first run."""
    if result.backwards[: len(first.backwards)] != first.backwards:
        raise RepairError(_why_values_differ(runner, first, files, fix))
    files.findings += fix.findings
    return result


def _candidates(failed: RunResult, observe: Observe) -> Iterator[FileFix]:
    """Yield the rewrites for the first culprit of a failure: several where it may be one of several constructors."""
    if failed.culprit is None or failed.culprit.is_installed:
        raise RepairError("the cause isn't a write in your files; the advice above says what to do")
    fix = fix_of([failed.culprit])
    if not fix.files or fix.applicability is Applicability.UNSAFE:
        fix = fix_of([failed.culprit], observe())
    if not fix.files and not fix.refusals:
        raise RepairError("nothing here can be rewritten; the advice above says what to do")
    if not fix.files:
        reasons = "; ".join(fix.refusals)
        raise RepairError(f"{shown(failed.culprit.path)}:{failed.culprit.line} can't be rewritten: {reasons}")
    (file,) = fix.files
    for number in dict.fromkeys(finding.fix for finding in file.findings):
        chosen = tuple(finding for finding in file.findings if finding.fix == number)
        yield FileFix(file.path, file.source, tuple(sorted({e for f in chosen for e in f.edits})), chosen)


def _failure(result: RunResult, fix: FileFix | None = None) -> Any:
    """Return what identifies a failure: the places that saved and wrote; with `fix`, as they are after that fix."""
    if result.diagnosis is None:
        return None
    places = (result.diagnosis["saved_by"], *result.diagnosis["culprits"])
    return [place and (place["path"], _moved(place, fix), place["op"]) for place in places]


def _moved(place: dict[str, Any], fix: FileFix | None) -> int:
    line: int = place["line"]
    if fix is None or shown(fix.path) != place["path"]:
        return line
    text = fix.source.text
    above = [edit for edit in fix.edits if text.count("\n", 0, edit.start) + 1 < line]
    return line + sum(edit.replacement.count("\n") - text.count("\n", edit.start, edit.end) for edit in above)


def _why_values_differ(runner: Runner, first: RunResult, files: _Files, fix: FileFix) -> str:
    files.restore()
    again = runner(first.calls, quiet=True)
    if again.backwards != first.backwards:
        return (
            "the program computes other values at each run, so that it can't be shown that the rewrite keeps them;"
            " seed its random generators"
        )
    told = "with the rewrite backward starts from other values, so it was taken back"
    assumed = _resting_on(Applicability.UNSAFE, [*files.findings, *fix.findings])
    return f"{told}. It assumed: {'; '.join(assumed)}" if assumed else f"{told}; please report it"
