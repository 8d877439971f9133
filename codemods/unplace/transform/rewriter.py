"""The road from source text to findings and edits; no input, no output, no torch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from unplace import rules
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Refusal
from unplace.diagnostics.findings import FileReport, Finding, Status
from unplace.diagnostics.forms import SIGNS
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit, apply_edits, origin_of
from unplace.text.positions import Text
from unplace.text.trees import parsed
from unplace.transform.postcondition import Place, unrepaired
from unplace.transform.rounds import joined

if TYPE_CHECKING:
    from unplace.analysis.project.program import Program
    from unplace.config.suppressions import Suppressions


class Programs(Protocol):
    """Where the program of a text comes from: other files of the run, or those that are kept from before."""

    def begin(self, path: str, text: str) -> Program:
        """The program of the module that is handled now; raises `SyntaxError` where CPython's parser does."""


_MOST_ROUNDS = 10
_MOST_TRIES = 6
_NONE: Mapping[Place, Sequence[Reason]] = {}


def rewrite_text(text: str, path: str, options: Options, programs: Programs | None = None) -> FileReport:
    """Analyse and rewrite one module until nothing changes; raises `SyntaxError` where CPython's parser does.

    An edit after which the analysis still finds its operation's harm, or something to do for it again and again, is
    taken back: it repairs nothing.
    With a `Project` as the programs, the other files of the run tell what the module imports from them.
    """
    report, is_final = _repaired(text, path, options, _itself, programs)
    for _ in range(_MOST_ROUNDS):
        if is_final:
            break
        origin = _origins(report.before, report.after, report.edits, _itself)
        following, is_final = _repaired(report.after, path, options, origin, programs)
        if not following.changed:
            break
        report = joined(report, following)
    return report


def _repaired(
    text: str, path: str, options: Options, origin: Callable[[int], int], programs: Programs | None
) -> tuple[FileReport, bool]:
    """The rounds over a text, less the edits that repair nothing; and whether another look can find no more to do.

    It may where edits were taken back and others made: what failed next to what they replaced may do well now.
    """
    failed: dict[Place, tuple[Reason, ...]] = {}
    for _ in range(_MOST_TRIES):
        report, rest, endless = _rounds(text, path, options, origin, programs, failed)
        useless = {(origin(line), code): reason for (line, code), reason in unrepaired(report, rest).items()}
        useless.update(dict.fromkeys(endless, Refusal.NEVER_ENDS()))
        if not useless:
            break
        for place, reason in useless.items():
            failed[place] = (*failed.get(place, ()), reason)
    return report, not (failed and report.changed)


def _rounds(
    text: str,
    path: str,
    options: Options,
    origin: Callable[[int], int],
    programs: Programs | None,
    failed: Mapping[Place, Sequence[Reason]],
) -> tuple[FileReport, FileReport, set[Place]]:
    """Make all rounds over a text; return them as one, the last, and the places for which it still found more to do."""
    report = following = _round(text, path, options, origin, programs, failed=failed)
    left: set[Place] = set()
    later = replace(options, unused=False)  # `joined` keeps the first round's warnings
    for _ in range(_MOST_ROUNDS) if report.changed else ():
        lines = _origins(report.before, report.after, report.edits, origin)
        following = _round(report.after, path, later, lines, programs, failed=failed)
        left = {(lines(f.line), f.code) for f in following.findings if f.status is Status.REWRITTEN}
        if not following.changed:
            break
        report = joined(report, following)
    return report, following, left


def first_round(
    text: str, path: str, options: Options, programs: Programs | None = None, *, apart: bool = False
) -> FileReport:
    """What `rewrite_text` finds at first sight, in half the time: all operations, and most of what becomes of them.

    Modules with `inplace=True` are judged by their calls in all of the text, or, `apart`, in the functions of the
    lines that the run is about.
    """
    return _round(text, path, options, _itself, programs, apart=apart)


def _itself(line: int) -> int:
    return line


def _origins(before: str, after: str, edits: Sequence[Edit], further: Callable[[int], int]) -> Callable[[int], int]:
    """Tells which line of the first text a line of the edited text comes from; `further` tells it for `before`."""
    old, new = Text(before), Text(after)
    return lambda line: further(old.place(origin_of(new.offset_of(line, 1), edits))[0])


def _round(
    text: str,
    path: str,
    options: Options,
    origin: Callable[[int], int],
    programs: Programs | None,
    *,
    apart: bool = False,
    failed: Mapping[Place, Sequence[Reason]] = _NONE,
) -> FileReport:
    """One pass over a text whose lines come from those of the original that `origin` tells."""
    from unplace.analysis.project.program import Program
    from unplace.config import suppressions  # the road is only entered for files that may have sites
    from unplace.transform.filter import Wanted
    from unplace.transform.sites import has_sites

    if programs is not None:
        program = programs.begin(str(Path(path).absolute()), text)
    else:
        program = Program.of(parsed(text))
    comments = suppressions.read(text) if options.comments else suppressions.Suppressions()
    if comments.skips_file:
        return FileReport(path, text, text)
    lines = None if options.changed is None else options.changed.get(path, ())
    wanted = Wanted(options.wanted(path), options.only, lines, origin, comments, apart, failed)
    source = Text(text)

    def planned(wanted: Wanted) -> list[Finding]:
        from unplace.transform.planner import Planner  # imports libcst

        return Planner(program, source, options).plan(wanted)

    def all_planned(comments: Suppressions) -> list[Finding]:
        return planned(Wanted(frozenset(rules.codes()), comments=comments))

    findings = planned(wanted) if has_sites(program, wanted.reaches) else []
    edits = sorted({edit for f in findings if f.status is Status.REWRITTEN for edit in f.edits})
    unused = comments.unused(all_planned, path) if options.unused else []
    return FileReport(path, text, apply_edits(text, edits), findings, edits, unused)


_TENSORS = re.compile(rb"torch|Tensor|\.(?:clone|detach|unsqueeze|backward|requires_grad)\b")


def may_have_sites(data: bytes) -> bool:
    """Whether a file's bytes can contain an in-place operation at all; a cheap test that may say yes too often.

    Comments that speak of such operations count, too: where there is none they are worth a warning.
    """
    return (_TENSORS.search(data) is not None and SIGNS.search(data) is not None) or b"unplace:" in data
