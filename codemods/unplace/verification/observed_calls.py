"""Calls of the functions that a rewrite edits, made before and after: as runs did, or as signatures tell.

`unplace observe` describes calls as programs with random tensors: `unplace.observation.specifications`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from unplace.diagnostics.catalogue import Verified
from unplace.diagnostics.findings import Finding, Status
from unplace.diagnostics.reasons import Reason
from unplace.observation.facts import Observations
from unplace.observation.keys import called_by_name
from unplace.reporting.summary import number
from unplace.runs.outcome import Outcome
from unplace.text.positions import Text
from unplace.text.trees import parsed
from unplace.verification.judging import Judgement

FORWARD = ".forward"
"""The end of the names of methods that are called by calling their module."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function: its file, its name, and the file with the program that makes the call as a run did.

    Without a program, arguments are made from the signature.
    """

    file: Path
    function: str
    program: Path | None = None

    def __str__(self) -> str:
        """Return the function, and where its arguments are from."""
        return f"{self.function} {'as it was observed' if self.program is not None else 'with random arguments'}"


class Judged(NamedTuple):
    """A call, what it says of the edits that are left, and the edited lines that it reaches."""

    call: Call
    judgement: Judgement
    reached: frozenset[tuple[str, int]]


def calls_of(outcomes: Sequence[Outcome], facts: Observations, folder: Path) -> list[Call]:
    """Return the calls to make; programs go to a folder.

    First come the edited functions, as runs called them or else as their signatures tell, then the other functions of
    the files that runs called, which may call the edited ones.
    """
    edited: list[Call] = []
    others: list[Call] = []

    def call(file: Path, function: str, program: str) -> Call:
        path = folder / f"observed_call_{len(edited) + len(others)}.py"
        path.write_text(program, "utf-8")
        return Call(file, function, path)

    for outcome in outcomes:
        if outcome.change is None or not _is_module(outcome):
            continue
        file, source = Path(outcome.path).absolute(), outcome.change.before.text
        lines = _edited(outcome)
        known = facts.calls_in(outcome.path)
        for function, node in called_by_name(parsed(source), source):
            own = edited if lines.intersection(range(node.lineno, (node.end_lineno or node.lineno) + 1)) else others
            programs = known.get(function, ())
            for program in programs:
                own.append(call(file, function.name, program))
            if own is edited and not programs and ("." not in function.name or function.name.endswith(FORWARD)):
                own.append(Call(file, function.name))
    return edited + others


def lines_by_file(outcomes: Iterable[Outcome]) -> Mapping[str, frozenset[int]]:
    """Return the lines, before the change, of the operations that a run rewrites and of their edits, by file."""
    return {_resolved(outcome): frozenset(_edited(outcome)) for outcome in outcomes if _is_module(outcome)}


def told(outcome: Outcome, judged: Sequence[Judged]) -> Outcome:
    """Return an outcome in which each edit has what the calls showed of it."""
    if not _is_module(outcome):
        return outcome
    path = _resolved(outcome)
    findings = (
        replace(finding, verified=_verified({(path, line) for line in _own(finding)}, judged))
        if finding.status is Status.REWRITTEN
        else finding
        for finding in outcome.findings
    )
    return replace(outcome, findings=tuple(findings))


def _verified(lines: set[tuple[str, int]], judged: Sequence[Judged]) -> Reason:
    reaching = [each.judgement for each in judged if each.reached & lines]
    proving = [judgement for judgement in reaching if judgement.times]
    if proving:
        calls, kinds = sum(judgement.times for judgement in proving), len(proving)
        return Verified.PROVED(calls=number(calls, "call"), specifications=number(kinds, "specification"))
    if reaching:
        return Verified.OPEN(obstacle=str(reaching[0].obstacle))
    return Verified.NOT_REACHED()


def _is_module(outcome: Outcome) -> bool:
    """Tell whether a run changes a file that can be imported."""
    return outcome.change is not None and outcome.path.endswith(".py")


def _resolved(outcome: Outcome) -> str:
    return str(Path(outcome.path).resolve())


def _own(finding: Finding) -> range:
    return range(finding.line, finding.end_line + 1)


def _edited(outcome: Outcome) -> set[int]:
    """Return the lines, before the change, of the operations that a run rewrites and of their edits."""
    assert outcome.change is not None
    text = Text(outcome.change.before.text)
    made = [finding for finding in outcome.findings if finding.status is Status.REWRITTEN]
    spans = [(text.place(e.start)[0], text.place(e.end)[0]) for finding in made for e in finding.edits]
    return {line for start, end in spans for line in range(start, end + 1)}.union(*map(_own, made))
