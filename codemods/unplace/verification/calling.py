"""Judges edits by calls of the edited functions, before and after, in processes of their own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from unplace.verification.compare import Quantity
from unplace.verification.entries import Target
from unplace.verification.judging import NOT_REACHED, Judgement, versions_of
from unplace.verification.loading import EXAMPLE, CannotRunError, ModuleFile, RewrittenCannotRunError
from unplace.verification.modes import EXPANDED, GRADIENTS, TWICE
from unplace.verification.observed_calls import FORWARD, Call
from unplace.verification.proof import Verdict
from unplace.verification.reaching import Lines
from unplace.verification.resource_limits import Limits
from unplace.verification.scratch import Scratch
from unplace.verification.versions import compared
from unplace.verification.worker import Home, Remote, Worker

MOST_SECONDS = 120.0
"""The time for all calls of a run; calls that come later aren't judged."""
_STEP = Limits(30.0)
_LATE = "no time was left"


class Homes:
    """The processes in which calls are made, kept as long as the next call needs the same version of the same file."""

    def __init__(self) -> None:
        """Begin without a process."""
        self._kept: dict[str, tuple[object, Home]] = {}

    def of(self, role: str, file: ModuleFile, version: int) -> Home:
        """Return a process that has imported a version of a file; `role` tells the two sides of a comparison apart."""
        known, home = self._kept.get(role, (None, None))
        if home is None or known != (file, version) or not home.is_alive:
            if home is not None:
                home.close()
            home = Home(file, _STEP, forks=True, guarded=True)
            self._kept[role] = (file, version), home
        return home

    def close(self) -> None:
        """End the processes."""
        for _, home in self._kept.values():
            home.close()


@dataclass(slots=True)
class CallJudge:
    """A judge that makes a call before and after; what can't be run or compared is an obstacle.

    `lines` are the edited lines; a call that reaches none of them judges nothing.
    """

    call: Call
    scratch: Scratch
    folders: Sequence[Path]
    lines: Lines
    homes: Homes
    deadline: float
    reached: frozenset[tuple[str, int]] | None = field(default=None, init=False)
    _obstacle: str = field(default=NOT_REACHED, init=False)

    def judgement(self) -> Judgement:
        """Judge the scratch copy as it is now."""
        if self.reached == frozenset():
            return Judgement(None, obstacle=self._obstacle)
        if time.monotonic() > self.deadline:
            return Judgement(None, obstacle=_LATE)
        before, after = versions_of(self.call.file, self.scratch, self.folders)
        entry = None if self.call.program is not None else self.call.function.removesuffix(FORWARD)
        inputs = None if self.call.program is None else (self.call.program, EXAMPLE)
        target = Target(before, entry, inputs, is_varied=True)
        try:
            home = self.homes.of("before", before, 0)
            if self.reached is None:
                with Worker(target, _STEP, home=home) as tracer:  # for itself: both sides run equally often
                    self.reached, raised = tracer.ask("reached", "", lines=self.lines)
                self._obstacle = NOT_REACHED if raised is None else f"it raises {raised}"
            if not self.reached:
                return Judgement(None, obstacle=self._obstacle)
            with Worker(target, _STEP, home=home) as original:
                choice = original.opened.choice
                home = self.homes.of("after", after, self.scratch.changes)
                target_after = replace(target, file=after, choice=choice)
                with Worker(target_after, _STEP, RewrittenCannotRunError, home=home) as rewritten:
                    return self._compared(target, original, rewritten)
        except RewrittenCannotRunError as error:
            return Judgement(f"{self.call}: {error}")
        except CannotRunError as error:
            return Judgement(None, obstacle=str(error).splitlines()[0])

    def _compared(self, target: Target, original: Worker, rewritten: Worker) -> Judgement:
        """Compare the versions in all variations, if that of the call as it is says anything.

        Where only the contents of its arguments differ, the rewrite has the function write them no longer: whether
        anybody reads them its callers tell.
        """
        times, spares_arguments = 0, False
        written, now = original.ask("writes", ""), rewritten.ask("writes", "")
        if now - written:
            return Judgement(f"{self.call}: {min(now - written)} is written, which the original leaves alone")
        for variation in original.opened.modes:
            if variation == TWICE and (spares_arguments or now != written):
                continue  # the second call would see what the first one has written
            if variation in (EXPANDED, GRADIENTS) and written:
                continue  # a place in memory would stand for several elements; a leaf can't be written
            if time.monotonic() > self.deadline:
                break
            proof = compared(target, Remote(original, variation), Remote(rewritten, variation), _STEP).proof
            if proof.is_worse and all(found.quantity is Quantity.ARGUMENTS for found in proof.differences):
                spares_arguments = True
            elif proof.is_worse:
                where = f"{self.call}, {variation}" if variation else str(self.call)
                return Judgement(f"{where}: {proof.differences[0]}")
            elif proof.verdict is Verdict.EQUAL:
                times += 1
            elif not variation:
                return Judgement(None, obstacle=proof.obstacle or f"it raises {proof.rewritten_error}")
        if spares_arguments:
            return Judgement(None, obstacle="it writes its arguments no longer, which only calls of its callers prove")
        return Judgement(None, times=times) if times else Judgement(None, obstacle=_LATE)
