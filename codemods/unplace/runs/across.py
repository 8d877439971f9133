"""Rewrites that need edits in several files of a run, after every file has been worked out by itself.

    # utils.py                          # main.py
    def _shift(h, by):                  h = torch.sigmoid(x)
        h = h + by                      h = _shift(h, 1.0)
        return h

What was refused because of calls in other files is planned again, on the texts that the run has made so far, with edits
of those files allowed. The files of one rewrite are changed together, or none of them is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from unplace import documents
from unplace.analysis.project.files import Project
from unplace.analysis.project.module import path_from_folder
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding, Problem, Status
from unplace.diagnostics.reasons import Line
from unplace.observation.facts import FileFacts, Observations
from unplace.runs.garbage import collecting_rarely
from unplace.runs.limits import LimitError, limited
from unplace.runs.outcome import Change, Outcome, internal_error
from unplace.text import integrity
from unplace.text.edits import Edit, apply_edits, origin_of
from unplace.text.positions import LineRanges, Text
from unplace.text.source import Source, SourceError
from unplace.transform import rewriter
from unplace.transform.postcondition import unrepaired
from unplace.transform.rounds import covering, edit_before, in_place_of, joined


def waiting(outcomes: Iterable[Outcome], *, markdown: bool) -> int:
    """Count the operations that edits of several files may rewrite."""
    return sum(len(_candidates(outcome, markdown)) for outcome in outcomes)


OptionsOf = Callable[[str], Options]
"""Maps the absolute path of a file to the options that hold for it."""


def across(outcomes: Sequence[Outcome], options: OptionsOf, project: Project | None = None) -> list[Outcome]:
    """Return the outcomes of all files of a run with the rewrites that need edits in several of them.

    `project` are the files as the run knows them: it is changed along with the texts.
    """
    if len(outcomes) < 2:
        return list(outcomes)
    found = [
        (outcome, own) for outcome in outcomes if (own := _candidates(outcome, options(_absolute(outcome)).markdown))
    ]
    if not found:
        return list(outcomes)
    files = {_absolute(outcome): _File(outcome) for outcome in outcomes}
    run = _Run(files, options, project or Project(files))
    for outcome, findings in found:
        run.plan(_absolute(outcome), findings)
    return run.outcomes()


@dataclass(frozen=True, slots=True)
class Spanning:
    """The rewrite of one operation by edits of several files: by path, the text before them and the edits."""

    finding: Finding
    changes: tuple[tuple[str, str, tuple[Edit, ...]], ...]


def spanning(
    path: str, findings: Iterable[Finding], options: Options, project: Project, held: Mapping[str, bytes]
) -> Iterator[Spanning]:
    """Yield the rewrites of refused findings of a file by edits of several files, each as if it were the only one.

    `held` are the contents of files of the project that aren't as on the disk.
    """
    sources = {each: documents.read(data, each) for each, data in held.items()}
    files = {each: _File(Outcome(each, source=sources.get(each))) for each in project.files.paths}
    run = _Run(files, lambda _: options, project.copy())
    for finding in findings:
        if finding.may_span and finding.status is Status.REFUSED:
            yield from run.alone(path, finding)


def _absolute(outcome: Outcome) -> str:
    return str(Path(outcome.path).absolute())


def _candidates(outcome: Outcome, markdown: bool) -> list[Finding]:
    """Return the refused findings of a file that edits of several files may rewrite."""
    if not documents.is_python(outcome.path, markdown=markdown):
        return []
    return [f for f in outcome.findings if f.may_span and f.status is Status.REFUSED]


# -- files ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _File:
    """A file of the run: its outcome so far, and the files that are changed together with it."""

    outcome: Outcome
    along: set[str] = field(default_factory=set)
    _source: Source | None = None

    @property
    def source(self) -> Source:
        """The file as it was, which is read where the outcome doesn't tell; raise an error where it can't be read."""
        known = self.outcome.source or self._source
        if known is None:
            known = self._source = documents.read(Path(self.outcome.path).read_bytes(), self.outcome.path)
        return known

    @property
    def text(self) -> str:
        """The text that the run has made so far."""
        change = self.outcome.change
        return self.source.text if change is None else change.after.text

    @property
    def report(self) -> FileReport:
        """The report so far."""
        out = self.outcome
        return FileReport(out.path, self.source.text, self.text, out.findings, out.edits, out.warnings)

    def join(self, later: FileReport) -> None:
        """Add a report on the text so far."""
        report = joined(self.report, later)
        change = Change(self.source, self.source.with_text(report.after)) if report.changed else None
        self.outcome = replace(
            self.outcome,
            findings=tuple(report.findings),
            change=change,
            edits=tuple(report.edits),
            source=self.source,
        )

    def facts(self, observed: Observations) -> FileFacts:
        """Return what runs showed of the file's operations, at their lines in the text so far."""
        now = Text(self.text)
        facts = observed.about(self.outcome.path, self.source.text)
        return facts.moved(lambda line: now.place(self.offset_now(line, 1))[0])

    def line_before(self, line: int) -> int:
        """Return the line of the file as it was in which a line of the text so far stood."""
        now = Text(self.text)
        if line > len(now.starts):
            return line
        return Text(self.source.text).place(origin_of(now.offset_of(line, 1), self.outcome.edits))[0]

    def offset_now(self, line: int, column: int) -> int:
        """Return the offset in the text so far of a place of the file as it was."""
        offset = Text(self.source.text).offset_of(line, column)
        return offset + sum(len(e.replacement) - (e.end - e.start) for e in self.outcome.edits if e.end <= offset)


@dataclass(slots=True)
class _Run:
    """The files of a run, whose texts rewrites change together."""

    files: dict[str, _File]
    options: OptionsOf
    _project: Project
    _held: dict[str, bytes] = field(default_factory=dict)  # what files hold in the project, where they changed

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes of all files, each with the paths of those that are changed together with it."""
        found: list[Outcome] = []
        for file in self.files.values():
            findings = tuple(self._finished(replace(finding, may_span=False)) for finding in file.outcome.findings)
            along = frozenset(self.files[path].outcome.path for path in file.along)
            found.append(replace(file.outcome, findings=findings, along=along))
        return found

    def _options(self, path: str) -> Options:
        return replace(self.options(path), unused=False, spans_later=False)

    def _finished(self, finding: Finding) -> Finding:
        """Return a finding with the edits of other files that now contain those which it needs there."""
        if not finding.elsewhere or not _is_made(finding):
            return finding
        covered = (
            (path, tuple(sorted(covering(self.files[path].outcome.edits, edits)))) for path, edits in finding.elsewhere
        )
        return replace(finding, elsewhere=tuple(covered))

    def plan(self, path: str, findings: Sequence[Finding]) -> None:
        """Plan the refused findings of a file again, and change all files that it takes; none after an error."""
        before = {one: (file.outcome, set(file.along)) for one, file in self.files.items()}
        try:
            with warnings.catch_warnings(), limited(), collecting_rarely():
                warnings.simplefilter("ignore")
                self._plan(path, findings)
        except Exception as error:
            for one, (outcome, along) in before.items():
                self.files[one].outcome, self.files[one].along = outcome, along
            if not isinstance(error, LimitError | OSError | SourceError):
                left_out = internal_error(error, "edits of several files left out")
                warning = Problem(before[path][0].path, left_out)
                self.files[path].outcome = replace(before[path][0], warnings=(*before[path][0].warnings, warning))
        finally:
            self._project.end()

    def alone(self, path: str, finding: Finding) -> Iterator[Spanning]:
        """Yield the rewrite of a finding by edits of several files, if there is one; nothing is taken over."""
        file = self.files[path]
        made = self._round(path, file.text, ((finding.line, finding.line),), self._with({}))
        texts = self._texts(path, made)
        place = finding.line, finding.column, finding.code
        own = next((f for f in made.findings if (f.line, f.column, f.code) == place and _is_made(f)), None)
        if texts is None or own is None or not self._repairs(path, made, texts):
            return
        edits = {path: made.edits, **_elsewhere(made)}
        yield Spanning(own, tuple((each, self.files[each].text, tuple(edits[each])) for each in texts))

    def _plan(self, path: str, findings: Sequence[Finding]) -> None:
        file = self.files[path]
        text = Text(file.text)
        lines = tuple((line, line) for f in findings for line in [text.place(file.offset_now(f.line, f.column))[0]])
        made = self._round(path, file.text, lines, self._with({}))
        self._refuse(path, findings, made)
        texts = self._texts(path, made)
        if texts is not None and self._repairs(path, made, texts):
            self._follow((path, *self._change(path, made, texts)))
        elif any(map(_is_made, made.findings)) and len(findings) > 1:
            for finding in findings:
                self._plan(path, [finding])
        elif any(map(_is_made, made.findings)):
            self._follow((path,))

    def _round(self, path: str, text: str, lines: LineRanges | None, project: Project) -> FileReport:
        name = self.files[path].outcome.path
        options = replace(self._options(path), changed={name: lines} if lines is not None else None, spans_files=True)
        if options.facts is not None and text == self.files[path].text:
            options = replace(options, here=self.files[path].facts(options.facts))
        return rewriter.first_round(text, name, options, project)

    def _with(self, texts: Mapping[str, str]) -> Project:
        """Return the project, with the texts so far but for these."""
        held = {path: file.outcome.change.after.data for path, file in self.files.items() if file.outcome.change}
        for path, text in texts.items():
            held[path] = self.files[path].source.with_text(text).data
        before, self._held = self._held, held
        found = {path: held[path] if path in held else self.files[path].source.data for path in {*before, *held}}
        changed = {path: data for path, data in found.items() if data != before.get(path)}
        if changed:
            self._project.change(changed)
        return self._project

    def _texts(self, path: str, made: FileReport) -> dict[str, str] | None:
        """Return the new texts of the files that a round changes; None where it changes none, or its edits meet."""
        texts = {path: made.after} if made.changed else {}
        try:
            for other, edits in _elsewhere(made).items():
                if self.files[other].outcome.problem is not None:
                    return None
                before = self.files[other].text
                texts[other] = apply_edits(before, edits)
                integrity.check(before, texts[other], edits)
            if made.changed:
                integrity.check(made.before, made.after, made.edits)
        except (ValueError, SyntaxError, RuntimeError):
            return None
        return texts or None

    def _repairs(self, path: str, made: FileReport, texts: Mapping[str, str]) -> bool:
        """Tell whether the harm of what a round rewrites is gone afterwards."""
        return not unrepaired(made, self._round(path, made.after, None, self._with(texts)))

    def _change(self, path: str, made: FileReport, texts: Mapping[str, str]) -> tuple[str, ...]:
        """Take over what a round rewrites, and return the other files that it changes."""
        elsewhere = _elsewhere(made)
        findings = [self._moved(path, finding) for finding in made.findings if _is_made(finding)]
        for other, edits in elsewhere.items():
            file = self.files[other]
            file.join(FileReport(file.outcome.path, file.text, texts[other], (), edits))
        self.files[path].join(replace(made, findings=findings))
        together = {path, *elsewhere}
        together |= {further for one in together for further in self.files[one].along}
        for one in together if len(together) > 1 else ():
            self.files[one].along |= together - {one}
        return tuple(elsewhere)

    def _follow(self, paths: Iterable[str]) -> None:
        """Rewrite what each of some files allows by itself now."""
        for path in paths:
            file = self.files[path]
            following = rewriter.rewrite_text(file.text, file.outcome.path, self._options(path), self._with({}))
            if following.changed:
                integrity.check(following.before, following.after, following.edits)
                file.join(following)

    def _refuse(self, path: str, findings: Sequence[Finding], made: FileReport) -> None:
        """Give the reasons why findings are still refused, with calls in other files taken into account."""
        file, text = self.files[path], Text(made.before)
        refused = {(f.line, f.column, f.code): f for f in made.findings if f.status is Status.REFUSED}
        told: dict[Finding, Finding] = {}
        for finding in findings:
            place = text.place(file.offset_now(finding.line, finding.column))
            later = refused.get((*place, finding.code))
            if later is not None:
                later = self._moved(path, later).moved(lambda line: replace(line, number=file.line_before(line.number)))
                edits = tuple(edit_before(edit, file.outcome.edits) for edit in later.edits)
                told[finding] = replace(in_place_of(finding, later, finding.fix or later.fix), edits=edits)
        file.outcome = replace(file.outcome, findings=tuple(told.get(f, f) for f in file.outcome.findings))

    def _moved(self, path: str, finding: Finding) -> Finding:
        """Return a finding with lines and edits of other files as those files were before the run."""

        def move(line: Line) -> Line:
            other = next((p for p in self.files if line.file == path_from_folder(path, p)), None)
            return replace(line, number=self.files[other].line_before(line.number)) if other is not None else line

        elsewhere = tuple(
            (other, tuple(edit_before(edit, self.files[other].outcome.edits) for edit in edits))
            for other, edits in finding.elsewhere
        )
        return replace(finding.moved_elsewhere(move), elsewhere=elsewhere)


def _elsewhere(made: FileReport) -> dict[str, list[Edit]]:
    """Return the edits that the rewritten findings of a report need in other files."""
    found: dict[str, set[Edit]] = {}
    for finding in filter(_is_made, made.findings):
        for path, edits in finding.elsewhere:
            found.setdefault(path, set()).update(edits)
    return {path: sorted(edits) for path, edits in found.items()}


def _is_made(finding: Finding) -> bool:
    return finding.status is Status.REWRITTEN
