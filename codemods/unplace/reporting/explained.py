"""Shows the explanation of a line, as text for people and as JSON for programs.

The JSON object has `version`, `path`, `line`, `sites` (in-place operations), `modules` (verdicts about modules with
`inplace=True` whose calls the file doesn't show) and `candidates` (code that looks like an in-place operation and isn't
one). A site has the facts of `unplace.transform.explanation.Explanation` and, under `verdict`, its entry in the JSON of
`rewrite`, with the `patch` that its edit makes; `verdict` is null where the run judges no such operation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from unplace.analysis.queries.aliases import Alias
from unplace.analysis.types.provenance import Evidence
from unplace.diagnostics.findings import Applicability, Finding, Status
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Line
from unplace.files.discovery import shown
from unplace.reporting import sentences
from unplace.reporting.concise import STYLES
from unplace.reporting.diff import patch, styled
from unplace.reporting.json import site as as_site
from unplace.reporting.styled import Span
from unplace.reporting.wrapping import wrapped
from unplace.runs.outcome import Change
from unplace.text.edits import Edit, apply_edits
from unplace.text.source import Source, read_source
from unplace.transform.explanation import Candidate, Explanation, LineReport, Saver
from unplace.version import __version__

CODE_STYLE = "italic"
"""The style of source code within a sentence."""

_WIDTH = 11


Naming = Callable[[Line], Line]
"""Maps a line of the module to the line that people know: in a notebook, the line of its cell."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of an explanation: the head, a title with what it says, or a line of a patch."""

    spans: list[Span]
    is_head: bool = False
    is_patch: bool = False

    @property
    def text(self) -> str:
        """The row as text."""
        return "".join(text for text, _ in self.spans)


def lines(
    report: LineReport,
    path: str,
    line: int,
    source: Source,
    named: Naming = lambda line: line,
    width: int | None = None,
) -> Iterator[list[Span]]:
    """Return the report as text, fitted to a width; patches stay as they are."""
    indent = len("  ") + _WIDTH
    if not (report.explanations or report.others or report.candidates):
        yield [
            (f"{path}:{named(Line(line)).place}: ", "bold"),
            ("nothing here is written like an in-place operation", ""),
        ]
    for row in rows(report, path, source, named):
        yield from [row.spans] if row.is_patch else wrapped(row.spans, width, indent)


def rows(report: LineReport, path: str, source: Source, named: Naming) -> Iterator[Row]:
    """Yield the report row by row, with an empty one behind each explanation."""
    for explanation in report.explanations:
        head, *told = _explanation(explanation, path, named)
        yield Row(head, is_head=True)
        yield from map(Row, told)
        if explanation.finding is not None:
            yield from _edit(explanation.finding, path, source)
        yield Row([])
    for finding in report.others:
        place = f"{path}:{named(Line(finding.line)).place}:{finding.column}: "
        yield Row([(place, "bold"), (finding.form.value, "")], is_head=True)
        yield from map(Row, (*_verdict(finding, named), *_where_it_acts(finding)))
        yield from _edit(finding, path, source)
    for candidate in report.candidates:
        head, *told = _candidate(candidate, path, named)
        yield Row(head, is_head=True)
        yield from map(Row, told)


def _where_it_acts(finding: Finding) -> Iterator[list[Span]]:
    """Yield what saved the memory that an operation writes, or that nothing calls the module that would write it."""
    saved = finding.saved_by
    if saved is not None:
        yield from _rows("saved", [f"by {saved.operation} in {saved.place}"])
    elif finding.form is Form.INPLACE_ARGUMENT:
        yield from _rows("calls", ["none in this file"])


def _explanation(explanation: Explanation, path: str, named: Naming) -> Iterator[list[Span]]:
    place = f"{path}:{named(Line(explanation.line)).place}:{explanation.column}: "
    yield [(place, "bold"), (explanation.code, ""), (f"  ({explanation.form})", "dim")]
    if explanation.finding is None:
        yield from _rows("verdict", ["none: the operation isn't judged"])
    else:
        yield from _verdict(explanation.finding, named)
    if explanation.ignored_by is not None:
        comment = named(Line(explanation.ignored_by))
        yield from _rows("ignored", [f"by the comment in {comment}: it stays as it is"])
    steps = (_step(step, named) for step in explanation.evidence)
    yield from _rows("target", [f"`{explanation.target}`, {explanation.kind}", *steps])
    aliases = [_alias(alias, named) for alias in explanation.aliases]
    yield from _rows("aliases", aliases or ["none in this function"])
    if explanation.holders:
        yield from _rows("held by", [str(holder.moved(named)) for holder in explanation.holders])
    savers = list(_savers(explanation.saved, named))
    yield from _rows("saved", savers or ["by nothing in this function"])
    yield from _rows("grad mode", [explanation.grad_mode])
    yield from _rows("observed", [str(reason) for reason in explanation.observed])


def _savers(saved: Sequence[Saver], named: Naming) -> Iterator[str]:
    """Yield what saved the memory: one text for each operation, with all of its lines."""
    lines: dict[tuple[bool, str], list[Line]] = {}
    for each in saved:
        places = lines.setdefault((each.certain, each.operation), [])
        place = _place(each, named)
        places += [place] if place not in places else []
    for (certain, operation), places in lines.items():
        yield f"{'by' if certain else 'maybe by'} {operation} in {', '.join(map(str, places))}"


def _place(saved: Saver, named: Naming) -> Line:
    """Return the line of an operation as people know it, in another file that of the file."""
    return Line(saved.line, file=saved.file) if saved.file else named(Line(saved.line))


def _rows(title: str, texts: Sequence[str | tuple[Span, ...]]) -> Iterator[list[Span]]:
    """Yield the texts below each other, each once; those that hold code are of several spans."""
    for position, text in enumerate(dict.fromkeys(texts)):
        spans = [(text, "")] if isinstance(text, str) else text
        yield [(f"  {title if position == 0 else '':<{_WIDTH}}", "cyan"), *spans]


def _step(step: Evidence, named: Naming) -> tuple[Span, ...]:
    return (f"{named(Line(step.line))}: ", ""), (step.code, CODE_STYLE), (f" -- {step.says.moved(named)}", "")


def _alias(alias: Alias, named: Naming) -> str:
    made = f" ({named(Line(alias.made))})" if alias.made is not None else ""
    if not alias.reads:
        return f"`{alias.name}`{made}: {alias.relation}, not read later"
    noun = "line" if len(alias.reads) == 1 else "lines"
    reads = (str(named(Line(line))).removeprefix("line ") for line in alias.reads)
    return f"`{alias.name}`{made}: {alias.relation}, read in {noun} {', '.join(reads)}"


def _verdict(finding: Finding, named: Naming) -> Iterator[list[Span]]:
    status = {Status.REWRITTEN: "would be rewritten"}.get(finding.status, finding.status.value)
    word = sentences.safety(finding.applicability, finding.assumptions) if finding.applicability is not None else ""
    safety = f" ({word})" if word else ""
    title = [(f"  {'verdict':<{_WIDTH}}", "cyan"), (f"{status}{safety}", STYLES[finding.status])]
    told = finding.moved(named)
    yield [*title, (f": {told.message}", "")]
    for backing, assumed in groupby(told.assumed if finding.status is Status.REWRITTEN else (), sentences.backing):
        yield from _rows(backing, list(map(str, assumed)))
    yield from _rows("harm", [sentences.harm(finding)])


def _edit(finding: Finding, path: str, source: Source) -> Iterator[Row]:
    if not finding.edits and not finding.elsewhere:
        return
    if finding.applicability is Applicability.UNSAFE and finding.status is not Status.REWRITTEN:
        yield from map(Row, _rows("edit", ["with --unsafe:"]))
    for line in styled(_patch(finding.edits, path, source), source.encoding) if finding.edits else ():
        yield Row(line, is_patch=True)
    for other, edits in finding.elsewhere:
        its = read_source(Path(other).read_bytes())
        for line in styled(_patch(edits, shown(other), its), its.encoding):
            yield Row(line, is_patch=True)


def _candidate(candidate: Candidate, path: str, named: Naming) -> Iterator[list[Span]]:
    place = f"{path}:{named(Line(candidate.line)).place}:{candidate.column}: "
    yield [(place, "bold"), (candidate.code, ""), ("  (no in-place operation)", "dim")]
    yield from _rows("because", [candidate.reason])
    steps = (_step(step, named) for step in candidate.evidence)
    yield from _rows("target", [f"`{candidate.target}`, {candidate.kind}", *steps])
    yield []


def _patch(needed: Iterable[Edit], path: str, source: Source) -> list[bytes]:
    edits = sorted(needed)
    after = source.with_text(apply_edits(source.text, edits))
    return list(patch(path, Change(source, after), edits))


def document(report: LineReport, path: str, line: int, source: Source) -> str:
    """Return the report as JSON text."""
    return json.dumps(
        {
            "version": __version__,
            "path": path,
            "line": line,
            "sites": [_site(explanation, path, source) for explanation in report.explanations],
            "modules": [_as_json(finding, path, source) for finding in report.others],
            "candidates": [_as_candidate(candidate) for candidate in report.candidates],
        },
        indent=2,
    )


def _site(explanation: Explanation, path: str, source: Source) -> dict[str, Any]:
    facts = {key: getattr(explanation, key) for key in ("line", "column", "code", "form", "target", "kind")}
    facts["evidence"] = list(map(_as_step, explanation.evidence))
    facts["aliases"] = [asdict(alias) for alias in explanation.aliases]
    facts["saved"] = [asdict(saved) for saved in explanation.saved]
    facts["holders"] = list(map(str, explanation.holders))
    facts["grad_mode"] = explanation.grad_mode
    facts["ignored_by"] = explanation.ignored_by
    finding = explanation.finding
    facts["verdict"] = _as_json(finding, path, source) if finding is not None else None
    return facts


def _as_candidate(candidate: Candidate) -> dict[str, Any]:
    facts = {key: getattr(candidate, key) for key in ("line", "column", "code", "target", "kind", "reason")}
    return {**facts, "evidence": list(map(_as_step, candidate.evidence))}


def _as_step(step: Evidence) -> dict[str, Any]:
    return {"line": step.line, "code": step.code, "says": str(step.says)}


def _as_json(finding: Finding, path: str, source: Source) -> dict[str, Any]:
    lines = _patch(finding.edits, path, source) if finding.edits else []
    return {**as_site(path, finding), "patch": b"".join(lines).decode(source.encoding, "replace") or None}
