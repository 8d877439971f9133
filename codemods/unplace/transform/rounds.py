"""Joining the rounds over a text into one report: the first findings, with everything later rounds did for them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from unplace.diagnostics.findings import Applicability, FileReport, Finding, Status
from unplace.diagnostics.reasons import Line
from unplace.text.edits import Edit, compose, origin_of
from unplace.text.positions import Text
from unplace.text.trees import parsed


def joined(first: FileReport, second: FileReport) -> FileReport:
    """Join two rounds; an operation that only the second could rewrite is reported at its original position.

    The edits of a finding are those that both rounds made for it. The second round builds on the edits of the first:
    where it changes a function or class, the findings in there share all of their edits.
    """
    edits = compose(first.edits, second.edits, first.before)
    findings = list(first.findings)
    own = [covering(edits, f.edits) if _is_rewritten(f) else set() for f in findings]
    highest = max((f.fix for f in findings if f.fix is not None), default=0)
    before, between = Text(first.before), Text(first.after)
    added: set[int] = set()

    def line_before(line: Line) -> Line:
        return Line(before.place(origin_of(between.offset_of(line.number, 1), first.edits))[0])

    for found in filter(_is_rewritten, second.findings):
        later = found.moved(line_before)
        origin = origin_of(between.offset_of(later.line, later.column), first.edits)
        made = covering(edits, (edit_before(edit, first.edits) for edit in later.edits))
        for index in _meant(findings, before.place(origin), origin):
            earlier = findings[index]
            if _is_rewritten(earlier):
                findings[index] = _with_assumptions(earlier, later)
            else:
                findings[index] = in_place_of(earlier, later, highest + 1 + index)
            own[index] |= made
            added.add(index)
    findings = _sharing(findings, own, _ties(first, findings, own, added, set(edits)))
    return FileReport(first.path, first.before, second.after, findings, edits, first.warnings)


def _is_rewritten(finding: Finding) -> bool:
    return finding.status is Status.REWRITTEN


def _meant(findings: Sequence[Finding], place: tuple[int, int], offset: int) -> list[int]:
    """Return the indices of the findings that a later one continues: at its position, or with edits that cover it."""
    here = [i for i, f in enumerate(findings) if (f.line, f.column) == place]
    if here:
        return here
    return [i for i, f in enumerate(findings) if _is_rewritten(f) and any(e.start <= offset <= e.end for e in f.edits)]


def edit_before(edit: Edit, made: Sequence[Edit]) -> Edit:
    """Map an edit of an edited text to one of the text before the edits `made`."""
    return Edit(origin_of(edit.start, made), origin_of(edit.end, made), edit.replacement)


def covering(edits: Sequence[Edit], parts: Iterable[Edit]) -> set[Edit]:
    """Return those of the sorted `edits`, no two of which touch, that contain the `parts`."""
    starts = [edit.start for edit in edits]
    return {edits[bisect_right(starts, part.start) - 1] for part in parts}


def _ties(
    first: FileReport, findings: Sequence[Finding], own: Sequence[set[Edit]], added: set[int], edits: set[Edit]
) -> list[set[Hashable]]:
    """Return the keys that tie each finding to others: its fix, its new edits, its statement if that was changed again.

    Rewritten findings with a common key share their edits. A statement is one of the module's top level.
    """
    starts = [statement.lineno for statement in parsed(first.before).body]
    statements = [bisect_right(starts, finding.line) for finding in findings]
    places = {statements[index] for index in added}
    new = edits.difference(first.edits)
    ties: list[set[Hashable]] = [{("fix", f.fix), *own[i] & new} for i, f in enumerate(findings)]
    for tie, statement in zip(ties, statements, strict=True):
        if statement in places:
            tie.add(("statement", statement))
    return ties


def _sharing(findings: Sequence[Finding], own: Sequence[set[Edit]], ties: Sequence[set[Hashable]]) -> list[Finding]:
    """Return the findings with their own edits; rewritten ones with a common tie get all edits of each other."""
    leaders: dict[Hashable, int] = {}
    group = list(range(len(findings)))

    def leader(index: int) -> int:
        while group[index] != index:
            index = group[index]
        return index

    for index, finding in enumerate(findings):
        for tie in ties[index] if _is_rewritten(finding) else ():
            group[leader(index)] = leader(leaders.setdefault(tie, index))
    edits: dict[int, set[Edit]] = {}
    for index in range(len(findings)):
        edits.setdefault(leader(index), set()).update(own[index])
    return [
        replace(f, edits=tuple(sorted(edits[leader(i)])), fix=findings[leader(i)].fix) if _is_rewritten(f) else f
        for i, f in enumerate(findings)
    ]


def _with_assumptions(earlier: Finding, later: Finding) -> Finding:
    """Add to a finding what a later round assumed for the same operation."""
    if later.applicability in (None, Applicability.SAFE):
        return earlier
    assumed = tuple(dict.fromkeys((*earlier.assumed, *later.assumed)))
    applicability = Applicability.of_all((earlier.applicability, later.applicability))
    return replace(earlier, applicability=applicability, assumed=assumed)


def in_place_of(earlier: Finding, later: Finding, fix: int | None) -> Finding:
    """Return a later round's finding about an operation, at the operation's original position."""
    return replace(
        later,
        line=earlier.line,
        column=earlier.column,
        end_line=earlier.end_line,
        end_column=earlier.end_column,
        fix=fix,
        ran=earlier.ran,
    )
