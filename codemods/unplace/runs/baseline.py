"""Reads and writes baselines: files with the findings that a project knows of, so that only new ones are reported.

    {"version": 1, "findings": {"models/rnn.py": [{"code": "UNP001", "line": "y += k", "count": 2}]}}

Paths count from the folder of the file. A finding is known by its rule and the text of its line, wherever that stands.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from unplace.diagnostics.findings import Finding, Harm
from unplace.files.relative import relative
from unplace.runs.outcome import Outcome
from unplace.text.positions import Text

_VERSION = 1


class BaselineError(Exception):
    """Raised for a file that can't be read or is no baseline; the message says which, and what to do."""


@dataclass(slots=True)
class Baseline:
    """The known findings by path from `folder`; `hidden` counts those that were left out, `unused` those that weren't.

    Both hold for the files that the baseline was asked about.
    """

    path: str
    known: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    hidden: int = 0
    unused: int = 0

    def without(self, outcome: Outcome) -> Outcome:
        """Return the outcome of a file without the findings that the baseline knows.

        Of several findings in lines of the same text, it knows the most harmful ones.
        """
        left = Counter(self.known.get(_relative(outcome.path, self.path), Counter()))
        harms, hidden = list(Harm), set[tuple[int, int, str]]()
        for finding, mark in sorted(_marked(outcome), key=lambda marked: harms.index(marked[0].harm)):
            if finding.is_reported and left[mark] > 0:
                left[mark] -= 1
                hidden.add(_place(finding))
        self.hidden += len(hidden)
        self.unused += sum(left.values())
        return replace(outcome, findings=tuple(each for each in outcome.findings if _place(each) not in hidden))


def read(path: str) -> Baseline:
    """Return the baseline in a file; raise `BaselineError` where there is none."""
    try:
        document = json.loads(Path(path).read_text("utf-8"))
        known = {
            name: Counter({(each["code"], each["line"]): int(each["count"]) for each in entries})
            for name, entries in document["findings"].items()
        }
        version = document["version"]
    except OSError as error:
        raise BaselineError(f"{path}: cannot read: {error.strerror}; --write-baseline FILE writes one") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BaselineError(f"{path}: is no baseline; --write-baseline FILE writes one") from None
    if version != _VERSION:
        raise BaselineError(f"{path}: has version {version}, and this unplace reads {_VERSION}; write it anew")
    return Baseline(path, known)


def write(path: str, outcomes: Sequence[Outcome]) -> int:
    """Write the findings of the outcomes as a baseline, and return their number."""
    findings: dict[str, list[dict[str, str | int]]] = {}
    count = 0
    for outcome in sorted(outcomes, key=lambda outcome: _relative(outcome.path, path)):
        marks = Counter(mark for _, mark in _marked(outcome))
        count += marks.total()
        for (code, line), number in sorted(marks.items()):
            entry: dict[str, str | int] = {"code": code, "line": line, "count": number}
            findings.setdefault(_relative(outcome.path, path), []).append(entry)
    text = json.dumps({"version": _VERSION, "findings": findings}, indent=2)
    Path(path).write_text(f"{text}\n", "utf-8")
    return count


def _marked(outcome: Outcome) -> Iterable[tuple[Finding, tuple[str, str]]]:
    """Yield each finding with its rule and the text of its line."""
    if outcome.source is None:
        return
    text = Text(outcome.source.text)
    for finding in outcome.findings:
        yield finding, (finding.code, text.line(finding.line).strip())


def _place(finding: Finding) -> tuple[int, int, str]:
    return finding.line, finding.column, finding.code


def _relative(path: str, baseline: str) -> str:
    folder = Path(baseline).absolute().parent
    absolute = Path(path).absolute()
    return relative(str(absolute), str(folder)) or absolute.as_posix()
