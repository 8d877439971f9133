"""Postcondition of every edit: the new text is analysed again, and the harm of the rewritten operation must be gone.

Where arguments of a function were copied, the harm of the function's other writes must be gone, too, or the copy is
useless:

    def f(x):
        x = x.clone()
        z = x[1:].tanh_()
        x[1:] *= 2                      still overwrites what tanh_() saved
        return z
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.syntax.scopes import all_parameters
from unplace.diagnostics.findings import FileReport, Finding, Harm, Status
from unplace.diagnostics.reasons import Line, Part, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit, origin_of
from unplace.text.positions import Text
from unplace.text.trees import parsed

Place = tuple[int, str]
"""A line of the original text, and the code of a rule."""


def unrepaired(made: FileReport, rest: FileReport) -> dict[Place, Reason]:
    """Return the rewritten operations that still make backward fail, with the reason; `rest` is about the new text."""
    rewritten = [f for f in made.findings if f.status is Status.REWRITTEN and f.harm is not Harm.HARMLESS]
    failing = [f for f in rest.findings if f.is_hazard and f.status is Status.REFUSED]
    if not rewritten or not failing or made.after != rest.before:
        return {}
    before, after = Text(made.before), Text(made.after)

    def line_before(line: int, column: int) -> int:
        return before.place(origin_of(after.offset_of(line, column), made.edits))[0]

    found: dict[Place, Reason] = {}
    for left in failing:
        line, by = line_before(left.line, left.column), left.saved_by
        saver: dict[str, Part] = {}
        if by is not None:
            own = by.line if by.file is not None else line_before(by.line, 1)
            saver = {"operation": by.operation, "line": Line(own, file=by.file)}
        if any(f.is_hazard and (f.line, f.code) == (line, left.code) for f in rewritten):
            found[line, left.code] = Refusal.STILL_OVERWRITES(**saver) if saver else Refusal.STILL_FORBIDDEN()
        for finding in rewritten:
            if any(first <= line <= last for first, last in _copied_for(finding, before)):
                write = Line(line)
                found[finding.line, finding.code] = (
                    Refusal.COPY_OVERWRITES(write=write, **saver) if saver else Refusal.COPY_FORBIDDEN(write=write)
                )
    return found


def _copied_for(finding: Finding, text: Text) -> Iterator[tuple[int, int]]:
    """Iterate over the first and last lines of the functions whose arguments a finding's edits copy."""
    copied = {name: text.place(edit.start)[0] for edit in finding.edits for name in _cloned(edit)}
    if not copied:
        return
    for node in ast.walk(parsed(text.text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            starts = {statement.lineno for statement in node.body[:2]}
            if any(copied.get(a.arg) in starts for a in all_parameters(node.args)):
                assert node.end_lineno is not None
                yield node.lineno, node.end_lineno


def _cloned(edit: Edit) -> Iterator[str]:
    """Iterate over the names that an inserted line copies: `x` for `x = x.clone()`."""
    for line in edit.replacement.splitlines() if edit.start == edit.end else ():
        name, _, value = line.strip().partition(" = ")
        if value == f"{name}.clone()":
            yield name
