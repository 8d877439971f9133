"""Every edit that is made is analysed again: the harm of its operation has to be gone."""

from __future__ import annotations

from unplace.edits import origin_of
from unplace.findings import FileReport, Harm, Status
from unplace.positions import Text

Place = tuple[int, str]
"""A line of the text as it was at first, and the code of a rule."""


def unrepaired(made: FileReport, rest: FileReport) -> dict[Place, str]:
    """The rewritten operations that backward would go on failing for, with the reason; `rest` is about the new text."""
    rewritten = [f for f in made.findings if f.status is Status.REWRITTEN and f.harm is Harm.HARMFUL]
    if not rewritten or made.after != rest.before:
        return {}
    before, after = Text(made.before), Text(made.after)

    def place_before(line: int, column: int) -> tuple[int, int]:
        return before.place(origin_of(after.offset_of(line, column), made.edits))

    found: dict[Place, str] = {}
    for left in rest.findings:
        if left.harm is not Harm.HARMFUL or left.status is not Status.REFUSED:
            continue
        line, _ = place_before(left.line, left.column)
        if any(f.line == line and f.code == left.code for f in rewritten):
            by = left.saved_by
            what = (
                f"overwrite what {by.operation} in line {place_before(by.line, 1)[0]} saved" if by else "be forbidden"
            )
            found[line, left.code] = f"where the write stays, it would still {what}"
    return found
