"""Compares what writes did to autograd with the harm that `unplace` says they do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harm_observer import CUT, FORBIDDEN, HIDDEN, OVERWROTE, RAISED, RAN, RECORDED
from kinds_reported import Place
from kinds_writes import MODULE

from unplace.analysis.project.files import Project
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Harm
from unplace.text.source import read_source
from unplace.transform.rewriter import first_round

_HURTING = (RAISED, FORBIDDEN, CUT)
_SUSPECT = (*_HURTING, OVERWROTE, HIDDEN)


@dataclass(slots=True)
class Judged:
    """A write that ran: what it did, what saved the memory that it wrote, and the findings about it."""

    place: Place
    name: str
    found: Counter[str] = field(default_factory=Counter)
    savers: Counter[str] = field(default_factory=Counter)
    findings: tuple[Finding, ...] = ()

    @property
    def hurt(self) -> bool:
        """Whether torch raised at the write, or would have in a backward, or a gradient was cut."""
        return any(self.found[word] for word in _HURTING)

    @property
    def is_harmful(self) -> bool:
        """Whether the report calls the write harmful."""
        return any(f.harm is Harm.HARMFUL for f in self.findings)

    @property
    def is_false_alarm(self) -> bool:
        """Whether the report calls a write harmful that has overwritten nothing on any run."""
        return self.is_harmful and not any(self.found[word] for word in _SUSPECT)

    def __str__(self) -> str:
        line = Path(self.place.path).read_text(encoding="utf-8").splitlines()[self.place.line - 1].strip()
        by = {f"{f.harm.value}, {f.saved_by.operation} {f.saved_by.place}" for f in self.findings if f.saved_by}
        said = sorted(by or {f.harm.value for f in self.findings}) or ["not in the report"]
        saved = f"; saved by {self.savers.most_common(1)[0][0]}" if self.savers else ""
        seen = ", ".join(f"{word} {self.found[word]}" for word in (RAN, RECORDED, *_SUSPECT) if self.found[word])
        return f"{self.place.path}:{self.place.line} `{line}` ({'; '.join(said)}): {seen}{saved}"


def judged(observed: Path, project: Project | None) -> list[Judged]:
    """All writes that ran, with their findings; those of modules with `inplace=True` where the modules are made."""
    known = json.loads(observed.read_text(encoding="utf-8"))
    writes: dict[tuple[Place, str], Judged] = {}
    for text, entry in known.items():
        place, _, name = text.partition(" ")
        if name.startswith(MODULE):
            place, name = name.removeprefix(MODULE) or place, "module"
        write = writes.setdefault((Place.of(place), name), Judged(Place.of(place), name))
        write.found += Counter(entry["found"])
        write.savers += Counter(entry["savers"])
    findings: dict[str, list[Finding]] = {}
    for write in writes.values():
        path = write.place.path
        if path not in findings:
            source = read_source(Path(path).read_bytes()).text
            findings[path] = list(first_round(source, path, Options(comments=False), project).findings)
        write.findings = tuple(f for f in findings[path] if write.place.is_of(f))
    return sorted(writes.values(), key=lambda w: (w.place.path, w.place.line, w.place.column, w.name))


def render(title: str, writes: list[Judged]) -> str:
    """The comparison as text."""
    return "\n".join(_lines(title, writes))


def _lines(title: str, writes: list[Judged]) -> Iterator[str]:
    ran = [w for w in writes if w.found[RAN]]
    recorded = [w for w in writes if w.found[RECORDED]]
    hurting = [w for w in writes if w.hurt]
    alarms = [w for w in writes if w.is_false_alarm]
    missed = [w for w in hurting if not w.is_harmful]
    yield f"== {title}: {len(writes)} writes were tried, {len(ran)} ran, {len(recorded)} while autograd recorded them"
    yield f"called harmful: {_share(sum(w.is_harmful for w in writes), len(writes))}"
    yield f"false alarms, which overwrote nothing that autograd had saved: {_share(len(alarms), len(writes))}"
    for write in alarms:
        yield f"  {'recorded' if write.found[RECORDED] else 'not recorded'} {write}"
    yield f"writes that torch refuses, or fails of in backward: {len(hurting)}"
    yield f"of these called harmful: {_share(len(hurting) - len(missed), len(hurting))}"
    yield from (f"  missed {write}" for write in missed)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" = {part / whole:.1%}" if whole else "")
