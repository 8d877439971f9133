"""What must hold for one file: no exception, a change that compiles and is the edits' alone, nothing left to change."""

from __future__ import annotations

import ast
import hashlib
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unplace.runs.outcome import Outcome, rewrite_bytes
from unplace.text.edits import apply_edits

if TYPE_CHECKING:
    from unplace.analysis.project.files import Project
    from unplace.config.options import Options


@dataclass
class Examination:
    """What was seen of one file; `digest` is the same for every run that finds and does the same."""

    path: str
    seconds: float
    digest: str
    changed: bool
    problem: str | None
    faults: list[str] = field(default_factory=list)


def examine(data: bytes, path: str, options: Options, project: Project | None = None) -> Examination:
    """Work on a file's bytes twice, and say what is wrong with the result."""
    begun = time.perf_counter()
    outcome = rewrite_bytes(data, path, options, project)
    seconds = time.perf_counter() - begun
    problem = str(outcome.problem) if outcome.problem is not None else None
    seen = Examination(path, seconds, _digest(outcome), outcome.change is not None, problem)
    if problem is not None and ("internal error" in problem or _compiles(data)):
        seen.faults.append(problem)
    if outcome.change is not None:
        seen.faults += _faults_of_change(data, outcome, options)
    return seen


def _faults_of_change(data: bytes, outcome: Outcome, options: Options) -> list[str]:
    assert outcome.change is not None
    faults: list[str] = []
    before, after = outcome.change.before, outcome.change.after
    if before.data != data or apply_edits(before.text, outcome.edits) != after.text:
        faults.append("the edits don't make the change")
    if _compiles(data) and not _compiles(after.data):
        faults.append("the result does not compile")
    again = rewrite_bytes(after.data, outcome.path, options)
    if again.problem is not None:
        faults.append(f"the second run fails: {again.problem}")
    elif again.change is not None:
        line = again.change.before.text.count("\n", 0, again.edits[0].start) + 1
        faults.append(f"the second run changes line {line} of the result")
    return faults


def _digest(outcome: Outcome) -> str:
    told = repr((outcome.path, outcome.findings, outcome.edits, outcome.problem, outcome.warnings))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def _compiles(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)  # so that a tree too deep for the compiler alone isn't held against anybody
            compile(data, "<fuzzed>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
