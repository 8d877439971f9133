"""Rewriting of one text: from source to findings and edits, without input, output or torch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from unplace import rules
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding, Status
from unplace.diagnostics.forms import SIGNS
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.files.surroundings import Standing, Surroundings
from unplace.text.edits import Edit, apply_edits, origin_of
from unplace.text.positions import Text
from unplace.text.trees import parsed
from unplace.transform.needed import without_needless
from unplace.transform.postcondition import Place, unrepaired
from unplace.transform.rounds import joined

if TYPE_CHECKING:
    from unplace.analysis.effects.model_files import ModelTexts
    from unplace.analysis.project.program import Program
    from unplace.config.suppressions import Suppressions
    from unplace.transform.incremental import Settled


class Programs(Protocol):
    """The source of a text's program: the other files of the run, or programs kept from earlier."""

    def begin(self, path: str, text: str, models: ModelTexts = ()) -> Program:
        """Return the program of the module to handle now; raise `SyntaxError` where CPython's parser does.

        `models` are files that tell what libraries do.
        """


class Alone:
    """The programs of a text that stands alone, or is that of a file with others `around` it that aren't in the run."""

    def __init__(self, around: Surroundings | None = None) -> None:
        self._around = around
        self._begun: list[Program] = []

    def begin(self, path: str, text: str, models: ModelTexts = ()) -> Program:
        """Return the program of the text."""
        from unplace.analysis.project.program import Program  # only imported for files that may have sites

        standing = Standing(self._around, path) if self._around is not None else None
        self._begun.append(Program.of(parsed(text), text, standing, models))
        return self._begun[-1]

    def close(self) -> None:
        """Close the programs: the findings are known."""
        for program in self._begun:
            program.close()


_MOST_ROUNDS = 10
_MOST_TRIES = 6
_NONE: Mapping[Place, Sequence[Reason]] = {}


def rewrite_text(text: str, path: str, options: Options, programs: Programs | None = None) -> FileReport:
    """Analyse and rewrite one module until nothing changes; raise `SyntaxError` where CPython's parser does.

    An edit is taken back if the analysis still finds the harm of its operation afterwards, or would edit it again and
    again: it repairs nothing. With a `Project` as `programs`, imports from other files of the run are followed.
    """
    if programs is None:
        with closing(Alone()) as alone:
            return rewrite_text(text, path, options, alone)
    if options.facts is not None:
        options = replace(options, here=options.facts.about(path, text))
    report, is_final = _repaired(text, path, options, _itself, programs)
    later = _later(options)
    for _ in range(_MOST_ROUNDS):
        if is_final:
            break
        origin = _origins(report.before, report.after, report.edits, _itself)
        following, is_final = _repaired(report.after, path, later, origin, programs)
        if not following.changed:
            break
        report = joined(report, following)
    if options.only is None or not report.changed:
        return report

    def left(text: str) -> int:
        return sum(f.status is not Status.KEPT for f in first_round(text, path, later, programs).findings)

    return without_needless(report, left)


def _repaired(
    text: str, path: str, options: Options, origin: Callable[[int], int], programs: Programs
) -> tuple[FileReport, bool]:
    """Return the rounds over a text, less useless edits, and whether another pass can find nothing more to do.

    Another pass may find more where edits were taken back and others made: a recipe that failed before these may
    succeed after them.
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
    programs: Programs,
    failed: Mapping[Place, Sequence[Reason]],
) -> tuple[FileReport, FileReport, set[Place]]:
    """Return all rounds over a text joined into one, the last round, and the places that it still edited."""
    from unplace.transform.incremental import Settled  # only imported for files that may have sites

    settled = Settled()
    report = following = _round(text, path, options, origin, programs, failed=failed, settled=settled)
    left: set[Place] = set()
    later = _later(options)
    for _ in range(_MOST_ROUNDS) if report.changed else ():
        lines = _origins(report.before, report.after, report.edits, origin)
        following = _round(report.after, path, later, lines, programs, failed=failed, settled=settled)
        left = {(lines(f.line), f.code) for f in following.findings if f.status is Status.REWRITTEN}
        if not following.changed:
            break
        report = joined(report, following)
    return report, following, left


def first_round(
    text: str, path: str, options: Options, programs: Programs | None = None, *, apart: bool = False
) -> FileReport:
    """Return what `rewrite_text` finds in its first round, in half the time: all operations, and most of their fates.

    Modules with `inplace=True` are judged by their calls in all of the text or, with `apart`, in the functions of the
    lines that the run handles.
    """
    if programs is None:
        with closing(Alone()) as alone:
            return _round(text, path, options, _itself, alone, apart=apart)
    return _round(text, path, options, _itself, programs, apart=apart)


def _later(options: Options) -> Options:
    """Return the options of later rounds: `joined` keeps what the first one counts, and what it warns of."""
    return replace(options, unused=False, counts=False)


def _itself(line: int) -> int:
    return line


def _origins(before: str, after: str, edits: Sequence[Edit], further: Callable[[int], int]) -> Callable[[int], int]:
    """Return a function from lines of the edited text to those of the first text; `further` maps those of `before`."""
    old, new = Text(before), Text(after)
    return lambda line: further(old.place(origin_of(new.offset_of(line, 1), edits))[0])


def _round(
    text: str,
    path: str,
    options: Options,
    origin: Callable[[int], int],
    programs: Programs,
    *,
    apart: bool = False,
    failed: Mapping[Place, Sequence[Reason]] = _NONE,
    settled: Settled | None = None,
) -> FileReport:
    """Make one pass over a text, less what is settled; `origin` maps its lines to those of the original text."""
    from unplace.config import suppressions  # only imported for files that may have sites
    from unplace.transform.collecting import has_sites
    from unplace.transform.filter import Filter

    program = programs.begin(str(Path(path).absolute()), text, options.models)
    comments = suppressions.read(text) if options.comments else suppressions.Suppressions()
    if comments.skips_file:
        return FileReport(path, text, text)
    lines = None if options.changed is None else options.changed.get(path, ())
    within = settled.begin(program) if settled is not None else None
    wanted = Filter(
        options.wanted(path),
        options.only,
        lines,
        origin,
        within,
        comments,
        apart,
        failed,
        options.here,
        is_edited=origin is not _itself,
        goes_on=settled is not None,
    )

    def planned(wanted: Filter) -> list[Finding]:
        from unplace.transform.planner import Planner  # imports libcst

        return Planner(program, Text(text), options).plan(wanted)

    def all_planned(comments: Suppressions) -> list[Finding]:
        return planned(Filter(frozenset(rules.codes()), comments=comments))

    findings = planned(wanted) if has_sites(program, wanted.reaches) else []
    edits = sorted({edit for f in findings if f.status is Status.REWRITTEN for edit in f.edits})
    if settled is not None:
        settled.end(program, text, edits)
    unused = comments.unused(all_planned, path) if options.unused else []
    return FileReport(path, text, apply_edits(text, edits), findings, edits, unused)


_WRITES = re.compile(rb"[+\-*/%&|^<>@]=|\]\s*=(?!=)|[^\W_]_\s*\(|\bout\s*=|\.\s*data\b")
_TENSORS = re.compile(rb"torch|Tensor|\.(?:clone|detach|unsqueeze|backward|requires_grad|grad|parameters)\b|\w{3}_\(")


def may_have_sites(data: bytes) -> bool:
    """Tell whether a file's bytes can contain an in-place operation at all; a cheap test that may say yes too often.

    Comments with `unplace:` count, too: those without an operation deserve a warning.
    """
    return (_TENSORS.search(data) is not None and SIGNS.search(data) is not None) or b"unplace:" in data


def may_write_argument(data: bytes) -> bool:
    """Tell whether a file that doesn't speak of tensors may write one that it gets: `x *= m` in a helper."""
    return _WRITES.search(data) is not None
