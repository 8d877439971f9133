"""Calls that runs of the program made of the functions that a rewrite edits, to be made again before and after.

`unplace observe` describes them as programs with random tensors: `unplace.observation.specifications`.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unplace.observation.facts import Observations
from unplace.observation.keys import called_by_name
from unplace.runs.outcome import Outcome
from unplace.text.positions import Text
from unplace.text.trees import parsed
from unplace.verification.judging import Judgement, versions_of
from unplace.verification.loading import EXAMPLE, CannotRunError, RewrittenCannotRunError
from unplace.verification.resource_limits import Limits
from unplace.verification.scratch import Scratch

MOST_SECONDS = 120.0
"""The time for all observed calls of a run; calls that come later aren't judged."""
_STEP = Limits(30.0)


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """A call of an edited function: its file, its name, and the file with the program that makes the call."""

    file: Path
    function: str
    program: Path


@dataclass(frozen=True, slots=True)
class CallJudge:
    """A judge that makes an observed call before and after; what can't be run or compared is an obstacle."""

    call: ObservedCall
    scratch: Scratch
    folders: Sequence[Path]
    deadline: float

    def judgement(self) -> Judgement:
        """Judge the scratch copy as it is now."""
        from unplace.verification.proof import Verdict
        from unplace.verification.versions import verify_modules  # only now: these need torch, and a command doesn't

        if time.monotonic() > self.deadline:
            return Judgement(None, obstacle="no time was left")
        before, after = versions_of(self.call.file, self.scratch, self.folders)
        where, inputs = f"{self.call.function} as it was observed", (self.call.program, EXAMPLE)
        try:
            result = verify_modules(before, after, None, inputs=inputs, limits=_STEP, measure=False)
        except RewrittenCannotRunError as error:
            return Judgement(f"{where}: {error}")
        except CannotRunError as error:
            return Judgement(None, obstacle=str(error).splitlines()[0])
        proofs = [comparison.proof for comparison in result.counted]
        worse = next((proof for proof in proofs if proof.is_worse), None)
        if worse is not None:
            return Judgement(f"{where}: {worse.differences[0]}")
        open_ones = (proof for proof in proofs if proof.verdict is not Verdict.EQUAL)
        return Judgement(None, obstacle=next((p.obstacle or f"it raises {p.rewritten_error}" for p in open_ones), None))


def observed_calls(outcomes: Sequence[Outcome], facts: Observations, folder: Path) -> list[ObservedCall]:
    """Return the calls that were observed of functions in which the run edits something; programs go to a folder."""
    found: list[ObservedCall] = []
    for outcome in outcomes:
        for function, program in _programs(outcome, facts):
            path = folder / f"observed_call_{len(found)}.py"
            path.write_text(program, "utf-8")
            found.append(ObservedCall(Path(outcome.path).absolute(), function, path))
    return found


def _programs(outcome: Outcome, facts: Observations) -> Iterator[tuple[str, str]]:
    """Iterate over the edited functions of a file, with each program that calls one as a run did."""
    known = facts.calls_in(outcome.path)
    if outcome.change is None or not known:
        return
    source = outcome.change.before.text
    text = Text(source)
    lines = {line for edit in outcome.edits for line in _lines(text, edit.start, edit.end)}
    for function, node in called_by_name(parsed(source), source):
        if lines.intersection(_span(node)):
            yield from ((function.name, program) for program in known.get(function, ()))


def _lines(text: Text, start: int, end: int) -> range:
    return range(text.place(start)[0], text.place(end)[0] + 1)


def _span(node: ast.FunctionDef) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
