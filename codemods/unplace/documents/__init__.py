"""Finds the Python modules in a file, and maps each part of a module to its place in the file.

A Python file is one module, and so are the code cells of a notebook and the Python blocks of a Markdown file. `rewrite`
applies `unplace.transform.rewriter.rewrite_text` to each module, and reports and edits the text of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from unplace.config import suppressions
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding, Problem
from unplace.documents.module import Module
from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import LineRanges, Text
from unplace.text.source import Source, read_source
from unplace.transform import rewriter
from unplace.transform.rewriter import Programs

if TYPE_CHECKING:
    from unplace.transform.explanation import LineReport

NOTEBOOK = ".ipynb"
MARKDOWN = (".md", ".markdown")


def suffixes(*, markdown: bool) -> tuple[str, ...]:
    """Return the file name suffixes to look for in folders."""
    return (".py", NOTEBOOK, *(MARKDOWN if markdown else ()))


def modules_of(text: str, path: str, *, markdown: bool = False) -> Sequence[Module]:
    """Return the modules in a file; raise `SourceError` where its content doesn't fit its name."""
    suffix = PurePath(path).suffix.lower()
    if suffix == NOTEBOOK:
        from unplace.documents.notebook import read_notebook

        return read_notebook(text, path)
    if markdown and suffix in MARKDOWN:
        from unplace.documents.markdown import read_markdown

        return read_markdown(text, path)
    return [Module(text)]


def sections(path: str, text: str) -> list[tuple[int, str]]:
    """Return the names of a notebook's cells, each with the line of the file (from 0) in which its text begins."""
    if PurePath(path).suffix.lower() != NOTEBOOK:
        return []
    in_file = Text(text)
    found = (section for module in modules_of(text, path) for section in module.sections())
    return [(in_file.place(offset)[0] - 1, name) for offset, name in found]


def located(module: Module, report: LineReport) -> LineReport:
    """Return the report on a line of a module with edits of the file, and with columns as people count them."""

    def moved(finding: Finding) -> Finding:
        column, end = module.column(finding.line, finding.column), module.column(finding.end_line, finding.end_column)
        return replace(finding, column=column, end_column=end, edits=tuple(module.in_file(finding.edits)))

    explanations = (
        replace(
            each, column=module.column(each.line, each.column), finding=moved(each.finding) if each.finding else None
        )
        for each in report.explanations
    )
    candidates = (replace(each, column=module.column(each.line, each.column)) for each in report.candidates)
    return replace(
        report,
        explanations=tuple(explanations),
        others=tuple(map(moved, report.others)),
        candidates=tuple(candidates),
    )


def is_python(path: str, *, markdown: bool = False) -> bool:
    """Tell whether a file is one module from its first line to its last."""
    return PurePath(path).suffix.lower() not in (NOTEBOOK, *(MARKDOWN if markdown else ()))


def reject_broken(text: str, path: str, *, markdown: bool = False) -> None:
    """Raise `SyntaxError` or `SourceError` for a file whose content doesn't fit its name; check nothing else."""
    if is_python(path, markdown=markdown):
        ast.parse(text)
    elif PurePath(path).suffix.lower() == NOTEBOOK:
        from unplace.documents.ipynb import as_notebook

        as_notebook(text)


def read(data: bytes, path: str, *, markdown: bool = False) -> Source:
    """Return the source of a file; raise `SourceError` where its bytes aren't text."""
    return read_source(data, is_python=is_python(path, markdown=markdown))


def rewrite(text: str, path: str, options: Options, programs: Programs | None = None) -> FileReport:
    """Analyse and rewrite the modules of a file; raise `SyntaxError` for a Python file that CPython can't parse."""
    modules = modules_of(text, path, markdown=options.markdown)
    if is_python(path, markdown=options.markdown):
        return _checked(rewriter.rewrite_text(text, path, options, programs))
    findings: list[Finding] = []
    edits: list[Edit] = []
    warnings: list[Problem] = []
    after: list[str] = []
    for module in modules:
        own = _options(module, text, path, options)
        report = _checked(rewriter.rewrite_text(module.text, path, own, module.programs(programs)))
        numbered = _numbered(report.findings, findings)
        findings += [_located(module, finding, text) for finding in numbered]
        edits += module.in_file(report.edits)
        warnings += [*module.warnings, *(module.problem(problem) for problem in report.warnings)]
        after.append(report.after)
    result = apply_edits(text, edits)
    if [module.text for module in modules_of(result, path, markdown=options.markdown)] != after:
        raise RuntimeError("the rewritten modules can't be put back into the file")
    return FileReport(path, text, result, findings, edits, warnings)


def _checked(report: FileReport) -> FileReport:
    if report.changed:
        from unplace.text import integrity  # only now: `tokenize` isn't free, and most files don't change

        try:
            integrity.check(report.before, report.after, report.edits)
        except SyntaxError as error:
            raise RuntimeError(f"the rewritten code does not parse ({error})") from error
    return report


def ignoring_edits(
    text: str, findings: Sequence[Finding], path: str, *, markdown: bool = False
) -> tuple[list[Edit], list[tuple[Finding, Problem]]]:
    """Return the edits that add `# unplace: ignore[...]` to each operation, and the operations that can't have one."""
    in_file = Text(text)
    edits: list[Edit] = []
    problems: list[tuple[Finding, Problem]] = []
    for module in modules_of(text, path, markdown=markdown):
        known = {place: finding for finding in findings if (place := _place_in(module, finding, in_file)) is not None}
        own = [replace(finding, line=place[0], column=place[1], end_line=place[2]) for place, finding in known.items()]
        added, unmarked = suppressions.ignoring_edits(module.text, own, path)
        edits += module.in_file(added)
        for place, finding in known.items():
            at_place = (problem for problem in unmarked if (problem.line, problem.column) == place[:2])
            problems += [(finding, module.problem(problem)) for problem in at_place]
    return edits, problems


def _place_in(module: Module, finding: Finding, in_file: Text) -> tuple[int, int, int, str] | None:
    """Return line, column and last line of a finding in a module of its file, with its code; None if it isn't there."""
    places = (finding.line, finding.column), (finding.end_line, finding.end_column)
    start, end = (module.offset_from_file(in_file.offset_of(*place)) for place in places)
    if start is None or end is None:
        return None
    own = Text(module.text)
    return *own.place(start), own.place(end)[0], finding.code


def _numbered(new: Sequence[Finding], known: Sequence[Finding]) -> list[Finding]:
    """Renumber the fixes of new findings so that they differ from those of the known findings."""
    highest = max((f.fix for f in known if f.fix is not None), default=-1)
    return [f if f.fix is None else replace(f, fix=f.fix + highest + 1) for f in new]


def _options(module: Module, text: str, path: str, options: Options) -> Options:
    """Return the options with the changed lines of the file as lines of the module."""
    if options.changed is None:
        return options
    in_file, own = Text(text), Text(module.text)
    ranges: LineRanges = options.changed.get(path, ())
    changed = []
    for line in range(1, module.text.count("\n") + 1):
        offset = module.offset_in_file(own.offset_of(line, 1))
        if offset is not None and any(first <= in_file.place(offset)[0] <= last for first, last in ranges):
            changed.append((line, line))
    return replace(options, changed={path: tuple(changed)})


def _located(module: Module, finding: Finding, text: str) -> Finding:
    """Return a finding of a module as a finding of its file."""
    own, in_file = Text(module.text), Text(text)
    places = (finding.line, finding.column), (finding.end_line, finding.end_column)
    start, end = (module.offset_in_file(own.offset_of(*place)) for place in places)
    assert start is not None
    assert end is not None
    (line, column), (end_line, end_column) = in_file.place(start), in_file.place(end)
    return replace(
        finding.moved(module.named),
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        edits=tuple(module.in_file(finding.edits)),
        cell=module.in_cell(finding),
    )
