"""The edits that `unplace rewrite` would make for only the writes that did the harm."""

from __future__ import annotations

import linecache
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unplace.config.configuration import ConfigurationError
from unplace.config.nearest import Excluded, Nearest
from unplace.config.options import Options
from unplace.diagnosis.places import Place
from unplace.diagnostics.findings import Applicability, Finding, Status
from unplace.diagnostics.forms import Form
from unplace.files.discovery import shown
from unplace.files.surroundings import Surroundings
from unplace.observation.facts import FileFacts, Observations
from unplace.reporting.diff import patch
from unplace.runs.among import project_around
from unplace.runs.outcome import Change
from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import Text
from unplace.text.source import Source, SourceError, read_source
from unplace.transform.rewriter import Alone, Programs, rewrite_text


@dataclass(frozen=True, slots=True)
class FileFix:
    """The edits to one file, and the findings that they come from."""

    path: str
    source: Source
    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]

    @property
    def change(self) -> Change:
        """The file before and after; raises `SourceError` where a new character has no place in the file's encoding."""
        return Change(self.source, self.source.with_text(apply_edits(self.source.text, self.edits)))


@dataclass(frozen=True, slots=True)
class Fix:
    """The rewrites that can be made, and the reasons for the writes that can't be rewritten (`refusals`)."""

    files: tuple[FileFix, ...]
    refusals: tuple[str, ...]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the edits; safe edits have none."""
        findings = [finding for file in self.files for finding in file.findings]
        return tuple(dict.fromkeys(assumption for finding in findings for assumption in finding.assumptions))

    @property
    def applicability(self) -> Applicability:
        """The applicability of the edit that rests on most."""
        return Applicability.of_all(finding.applicability for file in self.files for finding in file.findings)

    @property
    def diff(self) -> str:
        """The edits as a patch."""
        return "".join(
            line.decode(file.source.encoding, "replace")
            for file in self.files
            for line in patch(shown(file.path), file.change, file.edits)
        )


def fix_of(places: Iterable[Place], observed: Observations | None = None) -> Fix:
    """Work out the rewrite of the writes at some places; `observed` is what runs showed."""
    by_path: dict[str, list[Place]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    files: list[FileFix] = []
    refusals: list[str] = []
    for path, in_file in by_path.items():
        source = _read(path)
        if source is None:
            continue
        findings, concerned = _verdicts(source.text, path, in_file, observed)
        numbers = {f.fix for f in concerned if f.edits}
        chosen = tuple(f for f in findings if f.edits and f.fix in numbers and f.status is Status.REWRITTEN)
        if chosen:
            edits = tuple(sorted({edit for f in chosen for edit in f.edits}))
            files.append(FileFix(path, source, edits, chosen))
        refusals.extend(f"{shown(path)}:{f.line}: {f.message}" for f in concerned if f.status is not Status.REWRITTEN)
    return Fix(tuple(files), tuple(refusals))


def _read(path: str) -> Source | None:
    """Return the source of a file, or of code without a file whose lines Python knows; None where it doesn't."""
    try:
        return read_source(Path(path).read_bytes())
    except SourceError:
        return None
    except OSError:  # a cell of a notebook, or code given to `exec`
        text = "".join(linecache.getlines(path))
        return Source(text.encode(), text, "utf-8") if text else None


def _verdicts(
    text: str, path: str, places: Sequence[Place], observed: Observations | None
) -> tuple[Sequence[Finding], list[Finding]]:
    """Return the findings of a file, and those at some places in it.

    The findings are those of `--unsafe` only where the ones at these places can't all be rewritten without it.
    """
    facts = observed.about(path, text) if observed is not None else FileFacts()
    programs = _programs(path)
    findings: Sequence[Finding] = ()
    concerned: list[Finding] = []
    for unsafe in (False, True):
        findings = _findings(text, path, Options(unsafe=unsafe, facts=observed), programs)
        concerned = list(dict.fromkeys(f for place in places for f in findings if _is_at(f, place, text, facts)))
        if not concerned:  # a call of what was made elsewhere: `partial(F.relu, inplace=True)`
            concerned = [f for f in findings if facts.blames(f.line, f.column)]
        if all(f.edits and f.status is Status.REWRITTEN for f in concerned):
            break
    return findings, concerned


def _programs(path: str) -> Programs | None:
    """Return the files among which a file is judged, as by a command in the working folder."""
    if not Path(path).exists():
        return None
    try:
        project = project_around(path, Excluded(Nearest()))
    except ConfigurationError:  # which a command says
        project = None
    return project or Alone(Surroundings([path]))


def _findings(text: str, path: str, options: Options, programs: Programs | None) -> Sequence[Finding]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return rewrite_text(text, path, options, programs).findings
    except SyntaxError:  # what a notebook shows is not always Python
        return ()


def _is_at(finding: Finding, place: Place, text: str, facts: FileFacts) -> bool:
    if finding.line <= place.line <= finding.end_line:
        return True
    module = place.inplace_module
    if module is None or finding.form is not Form.INPLACE_ARGUMENT:
        return False
    if facts.makes(f"torch.nn.{module}", finding.line, finding.column):
        return True
    whole = Text(text)
    start, end = (whole.offset_of(*p) for p in ((finding.line, finding.column), (finding.end_line, finding.end_column)))
    return re.search(rf"\b{module}\b", text[start:end]) is not None
