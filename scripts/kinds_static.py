"""What the analysis says about the candidates of a file, and why it doesn't know where it doesn't."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kinds_candidates import Candidate, Shape, candidates
from kinds_causes import Cause, Causes

from unplace.analysis.domain.values import NUMBER, TENSOR, UNKNOWN, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.files import Project
from unplace.text.source import read_source
from unplace.transform.collecting import is_anywhere, runs
from unplace.transform.sites import is_site


class Verdict(Enum):
    """What the analysis says an object is."""

    TENSOR = "tensor"
    OTHER = "not a tensor"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate, the verdict on its object, and the cause where the verdict is that it isn't known.

    `stale` marks a tensor on whose final value the analysis doesn't stand by its verdict: it was one in an earlier
    round of a loop; `likely` marks one that is only a good guess.
    """

    path: Path
    candidate: Candidate
    verdict: Verdict
    cause: Cause | None = None
    stale: bool = False
    likely: bool = False

    @property
    def key(self) -> str:
        """The place under which an observer counts it."""
        return f"{self.path}:{self.candidate.place}"

    @property
    def source(self) -> str:
        """The object's expression."""
        return ast.unparse(self.candidate.target)


def judge(path: Path, project: Project) -> Iterator[Judged]:
    """The verdicts on all candidates of a file of a project."""
    program = project.begin(str(path), read_source(path.read_bytes()).text)
    done = list(runs(program, is_anywhere))
    causes = Causes(program)
    for candidate in candidates(program.module.tree):
        run = next((r for r in done if candidate.target in r.values), None)
        if run is None:
            yield Judged(path, candidate, Verdict.UNKNOWN, Cause("the function isn't analysed, or this is dead code"))
            continue
        value = run.values[candidate.target]
        write = _write(run, candidate)
        verdict = _verdict(value, write)
        cause = causes.of(run, candidate.target) if verdict is Verdict.UNKNOWN else None
        stale = verdict is Verdict.TENSOR and _verdict(value, None) is Verdict.OTHER
        yield Judged(path, candidate, verdict, cause, stale, verdict is Verdict.TENSOR and value.likely)


def _write(run: Run, candidate: Candidate) -> Write | None:
    """The write to the candidate's object that the analysis met, if it met one."""
    write = run.writes.get(candidate.operation)
    if write is None and candidate.shape is Shape.STORE:  # x of `x[i] += v`
        write = next((w for w in run.writes.values() if w.target is candidate.target), None)
    return write if write is not None and write.target is candidate.target else None


def _verdict(value: Value, write: Write | None) -> Verdict:
    """Return the verdict on an object; what a tensor is added to may be a number at first: `loss += x.sum()`."""
    if value.is_tensor or (write is not None and is_site(write) and not value.may_be(NUMBER)):
        return Verdict.TENSOR
    return Verdict.UNKNOWN if value.kinds & (TENSOR | UNKNOWN) else Verdict.OTHER
