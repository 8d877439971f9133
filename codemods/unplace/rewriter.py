"""The road from source text to findings and edits; no input, no output, no torch."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from unplace import rules
from unplace.edits import apply_edits, compose, origin_of
from unplace.findings import FileReport, Status
from unplace.positions import Text


@dataclass(frozen=True, slots=True)
class Options:
    """What a run applies: `unsafe` also edits that rest on an assumption; `select`/`ignore` name rule codes.

    `preserve_dtype` casts the result back wherever it isn't known to have the dtype of the tensor written in place.
    """

    unsafe: bool = False
    preserve_dtype: bool = False
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()

    def wanted(self) -> frozenset[str]:
        """The codes of the rules that the run looks for."""
        return (frozenset(rules.codes()) if self.select is None else self.select) - self.ignore


_MOST_ROUNDS = 10


def rewrite_text(text: str, path: str, options: Options) -> FileReport:
    """Analyse and rewrite one module until nothing changes; raises `SyntaxError` where CPython's parser does."""
    report = _round(text, path, options)
    for _ in range(_MOST_ROUNDS) if report.changed else ():
        following = _round(report.after, path, options)
        if not following.changed:
            break
        report = _joined(report, following)
    return report


def _joined(first: FileReport, second: FileReport) -> FileReport:
    """Both rounds as one; an operation that only the second could rewrite is reported where it stood at first."""
    before, between = Text(first.before), Text(first.after)
    findings = list(first.findings)
    for later in second.findings:
        if later.status is Status.REWRITTEN:
            place = before.place(origin_of(between.offset_of(later.line, later.column), first.edits))
            for index, earlier in enumerate(findings):
                if (earlier.line, earlier.column) == place and earlier.status is not Status.REWRITTEN:
                    line, column = earlier.end_line, earlier.end_column
                    findings[index] = replace(
                        later, line=place[0], column=place[1], end_line=line, end_column=column, fix=None, edits=()
                    )
    edits = compose(first.edits, second.edits, first.before)
    return FileReport(first.path, first.before, second.after, findings, edits)


def _round(text: str, path: str, options: Options) -> FileReport:
    from unplace.analysis.program import Program  # the road is only entered for files that may have sites
    from unplace.sites import has_sites

    tree = ast.parse(text, filename=path)
    program = Program(tree)
    if not has_sites(program):
        return FileReport(path, text, text)
    from unplace.rules.planner import Planner  # imports libcst

    program.preserve_dtype = options.preserve_dtype
    findings = Planner(program, Text(text), options.unsafe).plan(options.wanted())
    edits = sorted({edit for f in findings if f.status is Status.REWRITTEN for edit in f.edits})
    return FileReport(path, text, apply_edits(text, edits), findings, edits)


_TENSORS = re.compile(rb"torch|Tensor|\.(?:clone|detach|unsqueeze|backward|requires_grad)\b")
_WRITES = re.compile(rb"[+\-*/%&|^<>@]=|\]\s*(?:=|,|\))|\w_\(|\.data\b|inplace|out\s*=|True")


def may_have_sites(data: bytes) -> bool:
    """Whether a file's bytes can contain an in-place operation at all; a cheap test that may say yes too often."""
    return _TENSORS.search(data) is not None and _WRITES.search(data) is not None
