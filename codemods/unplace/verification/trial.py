"""Tries a rewrite in a scratch copy, finds the edits that break something, and leaves those out."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from unplace.diagnostics.findings import Finding, Status
from unplace.diagnostics.refusals import Refusal
from unplace.files.discovery import shown
from unplace.observation.facts import Observations
from unplace.runs.outcome import Change, Outcome
from unplace.text.edits import Edit, apply_edits
from unplace.verification.bisecting import guilty_sets
from unplace.verification.command import SHOWN, Baseline, Command
from unplace.verification.judging import NOT_REACHED, Judge, Judgement, versions_of
from unplace.verification.loading import CannotRunError, RewrittenCannotRunError, locate
from unplace.verification.observed_calls import Judged, calls_of, lines_by_file, told
from unplace.verification.resource_limits import Limits
from unplace.verification.scratch import Scratch, scratch_copy

if TYPE_CHECKING:
    from unplace.verification.calling import CallJudge
    from unplace.verification.versions import Result

RunBegins = Callable[[int, int], None]
"""Called before each run of a command, with its number and that of all runs where one edit at most is to blame."""

DEPENDENT = "it became possible by an edit that is left out"


@dataclass(frozen=True, slots=True)
class Plan:
    """The tests that a rewrite has to pass: entries (files and names in them) and a shell command.

    `inputs` is a file and the name of a function in it that makes the arguments of entries. `limits` are for each step
    of an entry, `command_limits` for a run of the command. With `calls`, edited functions are called: as the runs did
    from which these facts are, the others with arguments made from their signatures.
    """

    entries: Sequence[tuple[Path, str]] = ()
    command: str | None = None
    inputs: tuple[Path, str] | None = None
    calls: Observations | None = None
    measure: bool = False
    limits: Limits = field(default_factory=Limits)
    command_limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Fix:
    """The findings of a file whose edits can only be made together.

    `needs_all` marks the findings that became possible when all others of the file had been rewritten.
    """

    path: str
    findings: tuple[Finding, ...]
    needs_all: bool = False

    @property
    def edits(self) -> frozenset[Edit]:
        """The edits of all its findings."""
        return frozenset(edit for finding in self.findings for edit in finding.edits)

    def __str__(self) -> str:
        """Return `path:line:column` for each finding, separated by commas."""
        return ", ".join(f"{self.path}:{finding.line}:{finding.column}" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial: the outcomes without the guilty edits, and the result of each entry with the other edits.

    `left_out` has the guilty fixes, each with the evidence; `runs` is how often something was run with a rewrite;
    `flaky` are the tests that judged nothing, because they sometimes pass and sometimes fail. `calls` are the calls of
    functions, each with what it says of the edits that are left.
    """

    outcomes: Sequence[Outcome]
    results: Sequence[Result]
    left_out: Sequence[tuple[Fix, str]]
    runs: int
    flaky: Sequence[str] = ()
    calls: Sequence[Judged] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A judge that compares an entry with the same entry of the original."""

    file: Path
    name: str
    scratch: Scratch
    plan: Plan

    def judgement(self) -> Judgement:
        from unplace.verification.proof import Verdict
        from unplace.verification.versions import verify_modules  # only now: these need torch, and a command doesn't

        plan = self.plan
        before, after = versions_of(self.file, self.scratch, _folders_in(self.scratch))
        try:
            result = verify_modules(
                before, after, self.name, inputs=plan.inputs, limits=plan.limits, measure=plan.measure
            )
        except RewrittenCannotRunError as error:
            return Judgement(f"{self.name}: {error}")
        except CannotRunError as error:
            raise CannotRunError(f"{shown(str(self.file))}:{self.name}: {error}") from error
        for comparison in result.counted:
            where = f"{self.name}, {comparison.mode}" if comparison.mode else self.name
            if comparison.proof.is_worse:
                return Judgement(f"{where}: {comparison.proof.differences[0]}", result)
            if comparison.proof.verdict is Verdict.UNDECIDED:
                raise CannotRunError(f"{shown(str(self.file))}:{where}: {comparison.proof.obstacle}")
        return Judgement(None, result)


@dataclass(slots=True)
class _Suite:
    """A judge that compares the end of a command with how it ends without a rewrite.

    What fails for the first time is run again before an edit is blamed: a test that passes then is flaky, and judges
    nothing from now on. `steady` are the tests that failed twice.
    """

    command: Command
    baseline: Baseline
    say: Callable[[str], None]
    steady: set[str] = field(default_factory=set)

    def judgement(self) -> Judgement:
        run = self.command.run()
        complaint = self.baseline.complaint(run)
        lost = self.baseline.lost(run) if run.tests else [self.command.text]
        if complaint is None or run.code is None or self.steady.issuperset(lost):
            return Judgement(complaint)
        again = self.command.run()
        flaky = [test for test in lost if again.tests.get(test, False)]
        if flaky:
            self.say(_flaky_line(flaky))
            self.baseline = self.baseline.without(flaky)
        complaint = self.baseline.complaint(run) and self.baseline.complaint(again)
        if complaint is not None:
            self.steady.update(test for test in lost if test not in flaky)
        return Judgement(complaint)


class _Bench:
    """Puts fixes into the scratch copy and asks the judges, each once about the same fixes."""

    def __init__(self, scratch: Scratch, outcomes: Sequence[Outcome]) -> None:
        self._scratch = scratch
        self._outcomes = outcomes
        self._known: dict[tuple[int, frozenset[Fix]], Judgement] = {}

    @property
    def runs(self) -> int:
        """The number of times that a judge was asked."""
        return len(self._known)

    def judgement(self, judge: Judge, fixes: Sequence[Fix]) -> Judgement:
        """Return the judgement of a scratch copy in which only these fixes are made."""
        key = id(judge), frozenset(fixes)
        if key not in self._known:
            changed = [_with_only(outcome, fixes) for outcome in self._outcomes]
            self._scratch.write({Path(o.path).absolute(): o.change.after.data for o in changed if o.change is not None})
            self._known[key] = judge.judgement()
        return self._known[key]


def tried(
    outcomes: Sequence[Outcome], plan: Plan, say: Callable[[str], None], run_begins: RunBegins = lambda run, most: None
) -> Trial:
    """Make the changes of a run in a scratch copy and leave out those that fail the plan.

    `say` is called with lines about the progress, `run_begins` before each run of the command. Raises `CannotRunError`
    where an entry or the command can't judge: it can't be run, or its results differ from one run to the next by
    themselves.
    """
    changed = [outcome for outcome in outcomes if outcome.change is not None]
    if not changed:
        return Trial(outcomes, (), (), 0)
    files = [Path(outcome.path).absolute() for outcome in changed]
    fixes = [fix for outcome in changed for fix in _fixes(outcome)]
    say(f"Verifying {len(fixes)} edit{'' if len(fixes) == 1 else 's'} in a scratch copy.")
    with scratch_copy(_root(files, plan), files) as scratch:
        judges: list[Judge] = [_Entry(file.absolute(), name, scratch, plan) for file, name in plan.entries]
        suite: _Suite | None = None
        if plan.command is not None:
            numbers, most = itertools.count(1), _most_runs(len(fixes))

            def begins() -> None:
                run_begins(next(numbers), most)

            suite = _suite(plan.command, files, scratch, plan, say, begins)
            judges.append(suite)
        bench = _Bench(scratch, changed)
        with _callers(changed, plan, scratch) as calls:
            judges += calls
            left, left_out = _sorted_out(fixes, judges, bench, say)
            judgements = [bench.judgement(judge, left) for judge in judges] if left else []
            kept = [Judged(c.call, bench.judgement(c, left), c.reached or frozenset()) for c in calls if left]
            kept = [judged for judged in kept if judged.reached or judged.judgement.obstacle != NOT_REACHED]
    results = [judgement.result for judgement in judgements if judgement.result is not None]
    flaky = sorted(suite.baseline.flaky) if suite is not None else ()
    without = [_without(outcome, dict(left_out)) for outcome in outcomes]
    if plan.calls is not None:
        without = [told(outcome, kept) for outcome in without]
    return Trial(without, results, left_out, bench.runs, flaky, kept)


@contextmanager
def _callers(changed: Sequence[Outcome], plan: Plan, scratch: Scratch) -> Iterator[list[CallJudge]]:
    """Provide judges that call functions, if the plan asks for that; their processes end with the block."""
    if plan.calls is None:
        yield []
        return
    from unplace.verification.calling import MOST_SECONDS, CallJudge, Homes  # only now: a command needs no torch

    programs = scratch.folder.with_name("observed")
    programs.mkdir()
    calls, lines = calls_of(changed, plan.calls, programs), lines_by_file(changed)
    homes, folders = Homes(), _folders_in(scratch)
    try:
        yield [CallJudge(call, scratch, folders, lines, homes, time.monotonic() + MOST_SECONDS) for call in calls]
    finally:
        homes.close()


def _sorted_out(
    fixes: Sequence[Fix], judges: Sequence[Judge], bench: _Bench, say: Callable[[str], None]
) -> tuple[list[Fix], list[tuple[Fix, str]]]:
    """Return the fixes that together pass all judges, and the others with the evidence."""
    left: list[Fix] = list(fixes)
    left_out: list[tuple[Fix, str]] = []
    while left:
        complaints = {number: bench.judgement(judge, left).complaint for number, judge in enumerate(judges)}
        failing = [judges[number] for number, complaint in complaints.items() if complaint is not None]
        if not failing:
            break
        say(f"{next(filter(None, complaints.values()))}; looking for the cause among {len(left)} edits")
        fixed, suspects = _suspects(left, failing, bench)
        guilty = _guilty(fixed, suspects, failing, bench)
        incomplete = {fix.path for fix, _ in guilty}
        rest = [fix for fix in left if fix not in dict(guilty)]
        left = [fix for fix in rest if not (fix.needs_all and fix.path in incomplete)]
        left_out += [*guilty, *((fix, DEPENDENT) for fix in rest if fix not in left)]
    return left, left_out


def _suspects(left: Sequence[Fix], failing: Sequence[Judge], bench: _Bench) -> tuple[list[Fix], list[Fix]]:
    """Return the fixes beyond doubt, and the suspects; fixes that need all others are suspected first."""
    first = [fix for fix in left if not fix.needs_all]
    if len(first) < len(left) and not any(bench.judgement(judge, first).complaint for judge in failing):
        return first, [fix for fix in left if fix.needs_all]
    return [], first


def _guilty(
    fixed: Sequence[Fix], suspects: Sequence[Fix], failing: Sequence[Judge], bench: _Bench
) -> list[tuple[Fix, str]]:
    """Return the guilty fixes among the suspects, each with the evidence."""

    def fails(some: Sequence[Fix]) -> bool:
        return any(bench.judgement(judge, [*fixed, *some]).complaint for judge in failing)

    found: list[tuple[Fix, str]] = []
    for guilty in guilty_sets(suspects, fails):
        judgements = (bench.judgement(judge, [*fixed, *guilty]) for judge in failing)
        evidence = next(judgement.complaint for judgement in judgements if judgement.complaint is not None)
        found += [(fix, evidence) for fix in guilty]
    return found


def _most_runs(edits: int) -> int:
    """Return how often a command is run where one edit at most is to blame for a failure.

    Twice without the rewrite and twice with it; then the search, the culprit alone, and the rest.
    """
    return 4 if edits == 1 else 4 + (edits - 1).bit_length() + 3


def _suite(
    text: str,
    files: Sequence[Path],
    scratch: Scratch,
    plan: Plan,
    say: Callable[[str], None],
    begins: Callable[[], None],
) -> _Suite:
    packages = [place.search[0] for file in files if not (place := locate(file)).is_lone]
    search = [scratch.path(folder) for folder in dict.fromkeys([*packages, *_folders_in(scratch)])]
    command = Command(text, scratch.path(Path.cwd()), search, plan.command_limits, begins)
    baseline = command.baseline()
    say(f"`{text}` without the rewrite: {baseline}")
    if baseline.flaky:
        say(_flaky_line(sorted(baseline.flaky)))
    return _Suite(command.patient(baseline), baseline, say)


def _flaky_line(tests: Sequence[str]) -> str:
    more = f" and {len(tests) - SHOWN} more" if len(tests) > SHOWN else ""
    return f"flaky, left out of the judgement: {', '.join(tests[:SHOWN])}{more}"


def _folders_in(scratch: Scratch) -> list[Path]:
    """Return the folders that modules are imported from and that are copied: the current one, editable installs."""
    return [folder for folder in (Path.cwd(), *map(Path, filter(None, sys.path))) if scratch.covers(folder)]


def _root(files: Sequence[Path], plan: Plan) -> Path:
    """Return the folder to copy: it holds all that changes and all that is called, with its packages.

    It is the current folder where that holds everything, as the root of a project does.
    """
    called = [file.absolute() for file, _ in plan.entries]
    folders = [locate(file).search[0] for file in (*files, *called)]
    current = Path.cwd()
    if plan.command is not None or (current != Path.home() and all(f.is_relative_to(current) for f in folders)):
        folders.append(current)
    root = Path(os.path.commonpath(folders))
    if root == root.parent:
        raise CannotRunError(f"no folder to copy: {', '.join(map(str, dict.fromkeys(folders)))} have none in common")
    return root


def _fixes(outcome: Outcome) -> list[Fix]:
    groups: dict[object, list[Finding]] = {}
    later: list[Finding] = []
    for finding in outcome.findings:
        if finding.status is Status.REWRITTEN:
            group = groups.setdefault(finding.fix or finding.edits, []) if finding.edits else later
            group.append(finding)
    fixes = [Fix(outcome.path, tuple(findings)) for findings in groups.values()]
    if set(outcome.edits) != {edit for fix in fixes for edit in fix.edits}:
        fixes.append(Fix(outcome.path, tuple(later), needs_all=True))
    return fixes


def _with_only(outcome: Outcome, fixes: Collection[Fix]) -> Outcome:
    """Return an outcome with only some of its fixes made."""
    assert outcome.change is not None
    own = {fix for fix in fixes if fix.path == outcome.path}
    if own == set(_fixes(outcome)):
        return outcome
    edits = tuple(sorted({edit for fix in own for edit in fix.edits}))
    before = outcome.change.before
    return replace(outcome, change=Change(before, before.with_text(apply_edits(before.text, edits))), edits=edits)


def _without(outcome: Outcome, left_out: Mapping[Fix, str]) -> Outcome:
    """Return an outcome with the guilty fixes refused."""
    reasons = {finding: why for fix, why in left_out.items() if fix.path == outcome.path for finding in fix.findings}
    if outcome.change is None or not any(fix.path == outcome.path for fix in left_out):
        return outcome
    rest = _with_only(outcome, [fix for fix in _fixes(outcome) if fix not in left_out])
    findings = tuple(_refused(f, reasons[f]) if f in reasons else f for f in outcome.findings)
    assert rest.change is not None
    return replace(rest, findings=findings, change=rest.change if rest.edits else None)


def _refused(finding: Finding, reason: str) -> Finding:
    said = Refusal.LEFT_OUT(found=reason)
    return replace(finding, status=Status.REFUSED, applicability=None, reason=said, edits=())
