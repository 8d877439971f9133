"""Compares two versions of a module on an entry, in each of its modes (training, evaluation, autocast)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unplace.verification.compare import compare_notes, compare_random_state
from unplace.verification.entries import Target
from unplace.verification.loading import ModuleFile, RewrittenCannotRunError, locate_versions
from unplace.verification.measuring import Cost
from unplace.verification.modes import AUTOCAST
from unplace.verification.proof import Proof, Verdict, judge, judge_values
from unplace.verification.resource_limits import Limits
from unplace.verification.worker import Remote, Worker


@dataclass(frozen=True, slots=True)
class Comparison:
    """The proof in one mode, and the costs of both versions where they were measured.

    The mode is `train`, `eval` or `autocast`; empty where the entry is no `torch.nn.Module`.
    """

    mode: str
    proof: Proof
    costs: tuple[Cost, Cost] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of comparing two versions; `made` describes the arguments where they were made from a signature."""

    entry: str
    comparisons: Sequence[Comparison]
    made: str | None = None

    @property
    def counted(self) -> Sequence[Comparison]:
        """The comparisons that the verdict rests on: evaluation isn't one where no version runs in it."""
        return [c for number, c in enumerate(self.comparisons) if number == 0 or not c.proof.never_ran]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of the modes that count: different, then undecided, then equal."""
        verdicts = {comparison.proof.verdict for comparison in self.counted}
        return next(v for v in (Verdict.DIFFERENT, Verdict.UNDECIDED, Verdict.EQUAL) if v in verdicts)


def verify_files(
    before: Path | str,
    after: Path | str,
    entry: str | None = None,
    *,
    inputs: tuple[Path, str] | None = None,
    limits: Limits | None = None,
    measure: bool = False,
) -> Result:
    """Run two versions of a module, each in a process of its own, and compare what they do.

    `entry` names what to call: a function, a class of modules or a method; None stands for what `example()` returns.
    `inputs` is a file and the name of a function in it that returns what to call and its arguments. With `measure`, the
    time and memory of both versions are measured, too. Raises `CannotRunError` where a version can't be run.
    """
    first, second = locate_versions(Path(before), Path(after))
    return verify_modules(first, second, entry, inputs=inputs, limits=limits or Limits(), measure=measure)


def verify_modules(
    before: ModuleFile,
    after: ModuleFile,
    entry: str | None,
    *,
    inputs: tuple[Path, str] | None,
    limits: Limits,
    measure: bool,
) -> Result:
    """Compare two versions of a module as `verify_files` does, given where their files are imported from."""
    target = Target(before, entry, inputs)
    with Worker(target, limits) as original:
        opened = original.opened
        with Worker(replace(target, file=after, choice=opened.choice), limits, RewrittenCannotRunError) as rewritten:
            comparisons = [
                compared(target, Remote(original, mode), Remote(rewritten, mode), limits, measure)
                for mode in opened.modes
                if mode != AUTOCAST
            ]
            is_right_so_far = Result("", comparisons).verdict is Verdict.EQUAL
            if AUTOCAST in opened.modes and is_right_so_far:
                comparisons += _under_autocast(target, Remote(original, AUTOCAST), Remote(rewritten, AUTOCAST), limits)
    return Result(entry or "example", comparisons, opened.made)


def _under_autocast(target: Target, original: Remote, rewritten: Remote, limits: Limits) -> list[Comparison]:
    """Return the comparison under autocast where it finds another value or dtype; else the other modes say enough."""
    proof = judge_values(original, rewritten)
    is_different = bool(proof.differences) and _unsteady(target, original.mode, limits) is None
    return [Comparison(original.mode, proof)] if is_different else []


def compared(target: Target, original: Remote, rewritten: Remote, limits: Limits, measure: bool = False) -> Comparison:
    """Compare two versions in a mode, with costs where they are to be measured; what isn't steady is no difference."""
    proof = judge(original, rewritten)
    if proof.verdict is Verdict.DIFFERENT:
        unsteady = _unsteady(target, original.mode, limits)
        if unsteady is not None:
            proof = replace(
                proof, differences=(), obstacle=f"the original differs from one run to the next: {unsteady}"
            )
    if not measure or proof.verdict is not Verdict.EQUAL:
        return Comparison(original.mode, proof)
    works = proof.original_error is None  # else only the forward passes can be compared
    return Comparison(original.mode, proof, (original.measure(backward=works), rewritten.measure(backward=works)))


def _unsteady(target: Target, mode: str, limits: Limits) -> str | None:
    """Return how two runs of the original differ, each the first one of a new process; None where they don't."""
    seen = []
    for _ in range(2):
        with Worker(target, limits) as worker:
            seen.append(Remote(worker, mode).observe())
    first, second = seen
    if first.error != second.error:
        return f"one run raises {first.error or second.error}"
    outcomes = (*compare_notes(first.outputs, second.outputs), *compare_notes(first.state, second.state))
    return next((str(found) for found in (*outcomes, *compare_random_state(first, second))), None)
