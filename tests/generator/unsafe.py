"""The judge of `--unsafe`: a difference is a defect where every assumption that the edits rest on holds.

What rests on an assumption that doesn't hold is switched off by a comment, and the rest is judged again; what rests on
one that can't be decided, after that. So a false assumption doesn't excuse what another edit does wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from generator.assumptions import PURPOSE, Case, holds, is_contradicted
from generator.oracle import Fault, Result, Verdict, alarm, behaviour, judge, without_autograd
from generator.variants import VARIANTS, contained, varied
from unplace.diagnostics.findings import Finding, Status
from unplace.verification.observe import ARGUMENT, Observation

TOOL_FAULTS = (Fault.CRASH, Fault.COMPILE, Fault.REPEATED)
ROUNDS = 4


class Outcome(str, Enum):
    """What a difference under `--unsafe` is."""

    RIGHT = "right"
    WRONG = "wrong, and all its assumptions hold"
    EXCUSED = "differs only where an assumption doesn't hold"
    CONTRADICTED = "differs where an assumption doesn't hold, as the file itself shows"
    UNDECIDED = "differs, and whether its assumptions hold can't be said"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict with `--unsafe`: `text` is the program with what was switched off.

    `first` is the verdict before anything was, `false` and `open` are the assumptions that don't hold, or can't be
    decided.
    """

    outcome: Outcome
    verdict: Verdict
    first: Verdict
    text: str
    false: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def judge_unsafe(text: str, variants: Iterable[str] = tuple(VARIANTS)) -> Judgement:
    """Rewrite a program with `--unsafe` and say what a difference is."""
    first = verdict = judge(text, unsafe=True, variants=variants)
    if verdict.result is Result.DISCARDED:
        return Judgement(Outcome.DISCARDED, verdict, first, text)
    false: list[str] = []
    still_open: list[str] = []
    shown = False
    for _ in range(ROUNDS):
        if verdict.result is not Result.WRONG:
            excuse = Outcome.CONTRADICTED if shown else Outcome.EXCUSED
            outcome = Outcome.UNDECIDED if still_open else excuse if false else Outcome.RIGHT
            return Judgement(outcome, verdict, first, text, tuple(false), tuple(still_open))
        if verdict.fault in TOOL_FAULTS:
            break
        known = list(_decided(text, verdict))
        contradicted = [(finding, words) for finding, words, answer in known if answer is False]
        unknown = [(finding, words) for finding, words, answer in known if answer is None]
        off = contradicted or unknown
        if not off:
            break
        shown |= any(is_contradicted(case_of(text, f, verdict.variant), words) for f, words in contradicted)
        (false if contradicted else still_open).extend(words for _, words in off)
        text = without(text, {finding.line for finding, _ in off})
        verdict = judge(text, unsafe=True, variants=variants)
    return Judgement(Outcome.WRONG, verdict, first, text, tuple(false), tuple(still_open))


def without(text: str, lines: set[int]) -> str:
    """The program with some lines out of bounds for the tool."""
    marked = [f"{line}  # unplace: ignore" if n in lines else line for n, line in enumerate(text.splitlines(), 1)]
    return "\n".join(marked) + "\n"


def _decided(text: str, verdict: Verdict) -> Iterable[tuple[Finding, str, bool | None]]:
    """The findings that are rewritten, with each of their assumptions and whether it holds."""
    answers: dict[tuple[int, int, str], bool | None] = {}
    for finding in verdict.report.findings if verdict.report is not None else ():
        for words in finding.assumptions if finding.status is Status.REWRITTEN else ():
            key = (finding.line, finding.column, words)
            if key not in answers:
                case = case_of(text, finding, verdict.variant)
                answers[key] = _is_meant(verdict) if PURPOSE.search(words) else guarded(case, words)
            yield finding, words, answers[key]


def case_of(text: str, finding: Finding, variant: str = "") -> Case:
    """A finding of a program, with what an assumption is decided by when it is called in this way."""

    def run(changed: str) -> Observation:
        return without_autograd(varied(contained(changed), variant))

    return Case(text, finding, _same_as(run(text), run), run)


def _is_meant(verdict: Verdict) -> bool:
    """Whether an assumption about what a gradient is for holds: it doesn't where the gradient differs."""
    return verdict.fault is not Fault.GRADIENTS


def guarded(case: Case, words: str) -> bool | None:
    """Whether an assumption holds, None where that can't be said."""
    with warnings.catch_warnings(), alarm():
        warnings.simplefilter("ignore")
        return holds(case, words)


def _same_as(original: Observation, run: Callable[[str], Observation]) -> Callable[[str, bool], bool]:
    """Whether a program computes what the original does; what becomes of its arguments counts only if asked for."""

    def same(text: str, for_callers: bool) -> bool:
        changed = run(text)
        if changed.error != original.error:
            if changed.error is not None and "probing" in changed.error:
                raise RuntimeError(changed.error)
            return False
        return all(d.place.startswith(ARGUMENT) and not for_callers for d in behaviour(original, changed))

    return same
