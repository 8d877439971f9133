"""Verifies the rewrites of a repository with the repository's own command, its test suite for example."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from unplace.batch.records import VerificationRecord
from unplace.batch.standing import VERIFYING, Meter
from unplace.batch.store import Store
from unplace.diagnostics.findings import Status
from unplace.files.keys import key_of
from unplace.observation.facts import Observations
from unplace.runs.outcome import Outcome
from unplace.verification.command import CommandTimedOutError
from unplace.verification.loading import CannotRunError
from unplace.verification.resource_limits import Limits
from unplace.verification.trial import Plan, tried

Place = tuple[str, int, int]
"""The path, line and column of a finding."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification: the outcomes of the files that change, without the rewrites at `left_out`.

    `obstacle` is the reason why there is no verdict; then every rewrite is left out.
    """

    record: VerificationRecord
    changed: Sequence[Outcome]
    left_out: frozenset[Place] = frozenset()
    obstacle: str | None = None


def verified(
    changed: Sequence[Outcome],
    command: str,
    seconds: float,
    store: Store,
    given: str,
    meter: Meter,
    calls: Observations | None = None,
) -> Verification:
    """Verify changes: run the command with and without them, in a copy of the current folder.

    With `calls`, the edited functions are also called as the command called them. A verdict is kept in the store, and
    the command isn't run again for the same `given` (a key of all files).
    """
    key = key_of(command, repr(seconds), given)
    known: Verification | None = store.kept("verification", key)
    if known is None:
        known = _tried(changed, command, seconds, meter, calls)
        if known.obstacle is None:
            store.keep("verification", key, known)
    return known


def _tried(
    changed: Sequence[Outcome], command: str, seconds: float, meter: Meter, calls: Observations | None
) -> Verification:
    start = time.monotonic()
    said: list[str] = []

    def record(verdict: str, runs: int = 0, flaky: Sequence[str] = ()) -> VerificationRecord:
        return VerificationRecord(command, verdict, runs, time.monotonic() - start, "\n".join(said), tuple(flaky))

    plan = Plan(command=command, calls=calls, command_limits=Limits(seconds))
    try:
        trial = tried(changed, plan, said.append, partial(meter.runs, VERIFYING))
    except CannotRunError as error:
        said.append(str(error))
        verdict = "timed out" if isinstance(error, CommandTimedOutError) else "failed"
        none = [replace(outcome, change=None) for outcome in changed]
        return Verification(record(verdict), none, _rewritten(changed), obstacle=str(error))
    said.extend(f"left out {fix}: {evidence}" for fix, evidence in trial.left_out)
    left_out = frozenset((fix.path, f.line, f.column) for fix, _ in trial.left_out for f in fix.findings)
    verdict = "passed" if any(outcome.change is not None for outcome in trial.outcomes) else "rejected"
    return Verification(record(verdict, trial.runs, trial.flaky), trial.outcomes, left_out)


def _rewritten(outcomes: Sequence[Outcome]) -> frozenset[Place]:
    """Return the places of all rewrites."""
    return frozenset(
        (outcome.path, finding.line, finding.column)
        for outcome in outcomes
        for finding in outcome.findings
        if finding.status is Status.REWRITTEN
    )
