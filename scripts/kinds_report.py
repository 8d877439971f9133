"""Compares verdicts with the types seen at run time, and prints what it comes to."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kinds_candidates import Shape
from kinds_observer import TENSOR
from kinds_reported import Ran, reported
from kinds_static import Judged, Verdict, judge

from unplace.analysis.project.files import Project

NONE = "builtins.NoneType"
_EXAMPLES = 3
_ADDED_TO = (Shape.AUGMENTED, Shape.ELEMENT)
_NUMBERS = frozenset(("builtins.int", "builtins.float"))


@dataclass(frozen=True, slots=True)
class Site:
    """A candidate that ran: the verdict on its object, and how often the object was of which type."""

    judged: Judged
    types: dict[str, int]

    @property
    def is_tensor(self) -> bool:
        """Whether the object was ever a tensor."""
        return TENSOR in self.types

    @property
    def is_mixed(self) -> bool:
        """Whether the object was a tensor only sometimes."""
        return self.is_tensor and len(self.types) > 1

    @property
    def is_first_number(self) -> bool:
        """Whether it was a number, which a tensor added to it would have made a tensor."""
        added = getattr(self.judged.candidate.operation, "value", None)
        is_number = isinstance(added, ast.Constant) or self.judged.candidate.shape not in _ADDED_TO
        return not is_number and set(self.types) <= _NUMBERS

    def __str__(self) -> str:
        seen = ", ".join(f"{name} {count}x" for name, count in sorted(self.types.items()))
        return f"{self.judged.key} `{self.judged.source}` ({self.judged.candidate.shape.value}): {seen}"


@dataclass
class Comparison:
    """All candidates of some packages, each counted once however often it ran."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)  # of all, whether they ran or not
    sites: list[Site] = field(default_factory=list)
    writes: list[Ran] = field(default_factory=list)

    def add(self, other: Comparison) -> None:
        """Take the candidates of another one in."""
        self.verdicts.update(other.verdicts)
        self.sites += other.sites
        self.writes += other.writes

    def select(self, verdict: Verdict, is_tensor: bool) -> list[Site]:
        """The sites that ran with this verdict and this outcome."""
        return [s for s in self.sites if s.judged.verdict is verdict and s.is_tensor is is_tensor]


def compared(package: Path, folder: Path, name: str) -> Comparison:
    """Judge the files of a package that ran, and match them with what was observed."""
    observed = folder / f"{name}.json"
    seen: dict[str, dict[str, int]] = json.loads(observed.read_text(encoding="utf-8"))
    result = Comparison()
    paths = sorted(package.rglob("*.py"))
    project = Project(map(str, paths))
    for path in paths:
        for judged in judge(path, project):
            result.verdicts[judged.verdict] += 1
            types = seen.pop(judged.key, None)
            if types is not None:
                result.sites.append(Site(judged, types))
    if seen:
        raise ValueError(
            f"{observed}: {len(seen)} places aren't in {package}, such as {next(iter(seen))}; observe again"
        )
    writes = folder / f"{name}.writes.json"
    if writes.exists():
        result.writes += reported(writes, project)
    return result


def render(title: str, found: Comparison) -> str:
    """The comparison as text."""
    return "\n".join(_lines(title, found))


def _lines(title: str, found: Comparison) -> Iterator[str]:
    right = found.select(Verdict.TENSOR, True)
    numbers = [s for s in found.select(Verdict.TENSOR, False) if s.is_first_number]
    wrong = [s for s in found.select(Verdict.TENSOR, False) if not s.is_first_number]
    only_none = [s for s in wrong if set(s.types) == {NONE}]
    missed = found.select(Verdict.UNKNOWN, True)
    denied = found.select(Verdict.OTHER, True)
    yield f"== {title}: {found.verdicts.total()} candidates, {len(found.sites)} ran, {_tensors(found.sites)} on tensors"
    yield "verdicts on all: " + ", ".join(f"{v.value} {found.verdicts[v]}" for v in Verdict)
    yield f"precision of 'tensor': {_share(len(right), len(right) + len(wrong))}"
    if only_none:
        yield f"  without those that were None: {_share(len(right), len(right) + len(wrong) - len(only_none))}"
    yield f"recall of 'tensor': {_share(len(right), len(right) + len(missed) + len(denied))}"
    yield f"  without x.f_(), whose name alone tells: {_share(*_without_methods(right, [*right, *missed, *denied]))}"
    yield f"precision of 'not a tensor': {_share(*_others(found))}"
    likely = [s for s in (*right, *wrong) if s.judged.likely]
    yield f"precision of 'tensor', likely ones: {_share(sum(s.is_tensor for s in likely), len(likely))}"
    yield from _written(found.writes)
    for shape in Shape:
        some = [s for s in found.sites if s.judged.candidate.shape is shape and s.is_tensor]
        known = [s for s in some if s.judged.verdict is Verdict.TENSOR]
        yield f"  recall for {shape.value}: {_share(len(known), len(some))}"
    yield from _listed("said to be a tensor, was none", wrong)
    yield from _listed("said to become a tensor, as its operand is one, was only a number so far", numbers)
    yield from _listed("said to be a tensor, was one only sometimes", [s for s in right if s.is_mixed])
    yield from _listed("said to be no tensor, was one", denied)
    yield from _listed("said to be a tensor in an earlier round of a loop only", [s for s in right if s.judged.stale])
    yield f"tensors that weren't known, by cause ({len(missed)}):"
    for why, sites in _by_cause(missed):
        yield f"  {len(sites):4} {why}"
        for site in sites[:_EXAMPLES]:
            yield f"         {site.judged.key} `{site.judged.source}`"


def _written(writes: list[Ran]) -> Iterator[str]:
    for title, is_module in (("writes", False), ("modules with inplace=True", True)):
        some = [w for w in writes if w.is_module is is_module]
        missing = [w for w in some if not w.findings]
        unknown = [w for w in some if w.is_of_unknown_kind]
        yield f"{title} that ran and aren't in the report: {_share(len(missing), len(some))}"
        yield f"{title} that ran and are reported as of unknown kind: {_share(len(unknown), len(some))}"
        yield from (f"  {write}" for write in missing)


def _by_cause(sites: list[Site]) -> list[tuple[str, list[Site]]]:
    groups: dict[str, list[Site]] = {}
    for site in sites:
        assert site.judged.cause is not None
        groups.setdefault(site.judged.cause.why, []).append(site)
    return sorted(groups.items(), key=lambda g: (-len(g[1]), g[0]))


def _others(found: Comparison) -> tuple[int, int]:
    denied = len(found.select(Verdict.OTHER, True))
    return len(found.select(Verdict.OTHER, False)), len(found.select(Verdict.OTHER, False)) + denied


def _without_methods(*groups: list[Site]) -> tuple[int, int]:
    part, whole = (sum(s.judged.candidate.shape is not Shape.METHOD for s in sites) for sites in groups)
    return part, whole


def _tensors(sites: list[Site]) -> int:
    return sum(s.is_tensor for s in sites)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" = {part / whole:.1%}" if whole else "")


def _listed(title: str, sites: list[Site]) -> Iterator[str]:
    if sites:
        yield f"{title} ({len(sites)}):"
        yield from (f"  {site}" for site in sites)
