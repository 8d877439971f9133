"""Compares the writes that torch carried out with what `unplace check` reports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kinds_writes import MODULE

from unplace.analysis.project.files import Project
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding
from unplace.text.source import read_source
from unplace.transform.rewriter import first_round


@dataclass(frozen=True, slots=True)
class Place:
    """The range of an operation: lines from 1, columns from 1, the end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, text: str) -> Place:
        """Read `file:line:column:end line:end column` with columns from 0."""
        path, *numbers = text.rsplit(":", 4)
        line, column, end_line, end_column = map(int, numbers)
        return cls(path, line, column + 1, end_line, end_column + 1)

    def is_of(self, finding: Finding) -> bool:
        """Whether a finding is about this operation: same end, or the store of `x[i] += v` or of a whole statement."""
        if (finding.end_line, finding.end_column) == (self.end_line, self.end_column):
            return finding.line <= self.line
        return (finding.line, finding.column) == (self.line, self.column) and self.end_line <= finding.end_line


@dataclass(frozen=True, slots=True)
class Ran:
    """A write that ran, by name, with what the report has about it."""

    place: Place
    name: str
    count: int
    findings: tuple[Finding, ...]
    is_module: bool

    @property
    def is_of_unknown_kind(self) -> bool:
        """Whether the report says only that the object's kind isn't known."""
        return bool(self.findings) and all("unknown kind" in f.message for f in self.findings)

    def __str__(self) -> str:
        line = Path(self.place.path).read_text(encoding="utf-8").splitlines()[self.place.line - 1]
        return f"{self.place.path}:{self.place.line}:{self.place.column} {self.name} {self.count}x `{line.strip()}`"


def reported(writes: Path, project: Project) -> Iterator[Ran]:
    """All writes of a package that ran, with their findings."""
    seen: dict[str, dict[str, int]] = json.loads(writes.read_text(encoding="utf-8"))
    modules: Counter[str] = Counter()
    by_path: dict[str, list[tuple[Place, str, int]]] = {}
    for text, names in seen.items():
        for name, count in names.items():
            if name.startswith(MODULE):
                modules[name.removeprefix(MODULE) or text] += count
            else:
                by_path.setdefault(Place.of(text).path, []).append((Place.of(text), name, count))
    for text, count in modules.items():
        by_path.setdefault(Place.of(text).path, []).append((Place.of(text), "module", count))
    for path, rans in sorted(by_path.items()):
        source = read_source(Path(path).read_bytes()).text
        findings = first_round(source, path, Options(comments=False), project).findings
        for place, name, count in rans:
            found = tuple(f for f in findings if place.is_of(f))
            yield Ran(place, name, count, found, name == "module")
