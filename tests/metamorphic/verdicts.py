"""What becomes of a program of one or two files in one mode, and whether an assumption excuses a difference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch

from generator import oracle, unsafe
from generator.assumptions import PURPOSE
from generator.oracle import Result
from judging import Outcome, assumes_no_gradient, assumes_that_no_caller_looks, judge
from metamorphic.corpus import Case
from metamorphic.files import TOOLS
from metamorphic.sources import Rewritten, Sources
from unplace.diagnostics.findings import Finding, Status
from unplace.verification.observe import observe

TAKEN = re.compile(rf"^(from __future__ import|from {TOOLS} import|import {TOOLS}\b).*", re.MULTILINE)
"""What main.py imports and finds in its own file when the text of tools.py stands before it."""


@dataclass(frozen=True)
class Judged:
    """What became of a program: `details` tell what is wrong, `reasons` why findings stay.

    `assumed` has what edits rest on. `excused`: the program differs, where an assumption doesn't hold that it doesn't
    contradict itself.
    """

    outcome: Outcome
    details: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    excused: bool = False

    @property
    def is_fixed(self) -> bool:
        return self.outcome is Outcome.FIXED


def fails(case: Case) -> bool:
    """Whether there is something to repair: torch complains, or the gradient is wrong."""
    seen = observe(Sources(case.text).maker())
    return case.is_silent or (seen.error or seen.backward_error) is not None


def judged(sources: Sources, case: Case, rewritten: Rewritten, *, with_unsafe: bool) -> Judged:
    """Judge what became of a variant of a case by the oracle of its corpus."""
    torch.set_num_threads(1)
    left = tuple(str(f.reason) for f in rewritten.findings if f.status is not Status.REWRITTEN)
    start = Judged(Outcome.NOT_FIXED, reasons=left, assumed=tuple(rewritten.assumptions))
    if rewritten.sources == sources:
        return start
    found = _generated(start, sources, rewritten) if case.is_generated else _proved(start, sources, rewritten, case)
    is_excused = with_unsafe and found.outcome is Outcome.WRONG and _is_excused(sources, rewritten)
    return replace(found, outcome=Outcome.NOT_FIXED, excused=True) if is_excused else found


def _proved(start: Judged, sources: Sources, rewritten: Rewritten, case: Case) -> Judged:
    looks = not assumes_that_no_caller_looks(rewritten.findings)
    before, after = sources.maker(), rewritten.sources.maker()
    differentiates = not assumes_no_gradient(rewritten.findings)
    verdict = judge(before, after, is_silent=case.is_silent, callers_look=looks, differentiates=differentiates)
    return replace(start, outcome=verdict.outcome, details=verdict.details)


def _generated(start: Judged, sources: Sources, rewritten: Rewritten) -> Judged:
    assumed = tuple(rewritten.assumptions)
    verdict = oracle.judge(_joined(sources), rewritten=_joined(rewritten.sources), assumed=assumed)
    if verdict.result is Result.WRONG:
        return replace(start, outcome=Outcome.WRONG, details=verdict.details)
    return replace(start, outcome=Outcome.FIXED if verdict.fixed else Outcome.NOT_FIXED)


def _joined(sources: Sources) -> str:
    """The program in one file, in which everything of main.py stands as many lines later as tools.py has."""
    return sources.tools + TAKEN.sub("", sources.main) if sources.tools else sources.main


def _is_excused(sources: Sources, rewritten: Rewritten) -> bool:
    """Whether an edit rests on what isn't so and, in one file, the program doesn't show that it isn't."""
    text = _joined(sources)
    if not sources.tools:
        outcome = unsafe.judge_unsafe(text).outcome
        return outcome not in (unsafe.Outcome.WRONG, unsafe.Outcome.CONTRADICTED)
    lines = sources.tools.count("\n")
    of_main = (replace(f, line=f.line + lines, end_line=f.end_line + lines, edits=()) for f in rewritten.of_main)
    moved = [*rewritten.of_tools, *of_main]
    return any(_is_false(text, finding, words) for finding, words in _assumed(moved))


def _assumed(findings: Iterable[Finding]) -> Iterable[tuple[Finding, str]]:
    return ((f, words) for f in findings if f.status is Status.REWRITTEN for words in f.assumptions)


def _is_false(text: str, finding: Finding, words: str) -> bool:
    """Whether an assumption doesn't hold, or may not."""
    return bool(PURPOSE.search(words)) or not unsafe.guarded(unsafe.case_of(text, finding), words)
