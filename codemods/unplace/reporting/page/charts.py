"""Makes the charts of the page: bars in parts, whose lengths are percentages, so that they fit every width."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unplace.reporting.totals import Row, Tally, Totals, Verdict, duration

_HARMS = ("harmful", "possible", "harmless")
_SLOWEST = 8
_NAME = 34
"""The number of letters of a repository's name that fit beside a bar."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: its kind, its start and length in percent of the width, and its meaning in words."""

    kind: str
    start: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with the text above it: a name at the left and a figure at the right."""

    name: str
    figure: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its bars and a legend for their parts; `description` says it in words."""

    name: str
    title: str
    note: str
    kinds: tuple[str, ...]
    bars: tuple[Bar, ...]

    @property
    def description(self) -> str:
        """The chart in words, for readers who don't see it."""
        return " ".join(f"{bar.name}: {', '.join(part.text for part in bar.parts) or 'none'}." for bar in self.bars)


def verdicts(totals: Totals) -> Chart:
    """Return the chart of the operations of each rule by verdict."""
    most = max((tally.count() for tally in totals.rules.values()), default=1)
    bars = []
    for code, tally in sorted(totals.rules.items()):
        counts = [(verdict.value, float(tally.count(verdict)), f"{tally.count(verdict):,}") for verdict in Verdict]
        bars.append(Bar(code, f"{tally.count():,}", _parts(counts, most)))
    title = "Operations by rule and verdict"
    return Chart(
        "verdicts", title, f"{totals.tally.count():,} in all", tuple(verdict.value for verdict in Verdict), tuple(bars)
    )


def harm(totals: Totals) -> Chart:
    """Return the chart of the share of operations that can break backward, by verdict."""
    bars = []
    for verdict in Verdict:
        total = totals.tally.count(verdict)
        if total:
            counts = _harms(totals.tally, verdict)
            bars.append(Bar(verdict.value.capitalize(), f"{counts[0][1] / total:.0%} harmful", _parts(counts, total)))
    note = f"{totals.tally.count(harm='harmful'):,} harmful in all"
    return Chart("harm", "Harmful share by verdict", note, _HARMS, tuple(bars))


def _harms(tally: Tally, verdict: Verdict) -> list[tuple[str, float, str]]:
    counts = [(kind, tally.count(verdict, harm=kind)) for kind in _HARMS]
    return [(kind, float(count), f"{count:,}") for kind, count in counts]


def time(totals: Totals) -> Chart:
    """Return the chart of the time spent: the slowest repositories, and all others together."""
    rows = sorted(totals.rows, key=lambda row: -sum(_spent([row])))
    groups = [(_short(row.record.name), [row]) for row in rows[:_SLOWEST]]
    if others := rows[_SLOWEST:]:
        groups.append((f"{len(others):,} others", others))
    spent = [(name, _spent(group)) for name, group in groups]
    most = max((sum(parts) for _, parts in spent), default=1.0)
    bars = [
        Bar(name, duration(sum(seconds)), _parts(zip(_WORK, seconds, map(duration, seconds), strict=True), most))
        for name, seconds in spent
    ]
    return Chart("time", "Time by repository", f"{duration(totals.seconds)} of work", _WORK, tuple(bars))


_WORK = ("analysis", "verification")


def _spent(rows: Iterable[Row]) -> tuple[float, float]:
    """Return the seconds of analysis and of verification, which are part of a repository's seconds."""
    total = verified = 0.0
    for row in rows:
        check = row.record.verification
        verification = check.seconds if check else 0.0
        total += max(row.record.seconds, verification)
        verified += verification
    return total - verified, verified


def _parts(amounts: Iterable[tuple[str, float, str]], whole: float) -> tuple[Part, ...]:
    """Return the parts one after the other, without empty ones; each amount comes with its figure in words."""
    parts = []
    start = 0.0
    for kind, amount, figure in amounts:
        width = 100 * amount / whole if whole else 0.0
        if amount:
            parts.append(Part(kind, round(start, 3), round(width, 3), f"{figure} {kind}"))
        start += width
    return tuple(parts)


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
