r"""Reports the results for many repositories: JSON Lines for programs, Markdown for a pull request or a chat.

Each line of the JSON is an object for one repository:

    {"version": "0.1.0", "name": "vision", "target": "git@example.org:vision.git", "result": "migrated", "reason": "",
     "branch": "unplace/migrate", "commit": "4f2a...", "patch": "vision.patch",
     "files": 310, "lines": 90210, "changed": 12, "seconds": 41.5,
     "summary": {"rewritten": 30, "refused": 9, "left_out": 1, "kept": 121},
     "sites": [{"path": "models/rnn.py", "line": 12, "column": 9, "code": "UNP001", "status": "rewritten", ...}],
     "errors": [{"path": "setup.py", "message": "cannot parse: ...", "line": 3, "column": 7}],
     "verification": {"command": "pytest -q", "verdict": "passed", "runs": 3, "seconds": 30.1, "output": "...",
                      "flaky": ["tests.test_io::test_download"]}}

`result` is one of `migrated` (in a dry run `would be migrated`), `unchanged`, `rejected`, `skipped`, `failed`; `sites`
are the fields of `SiteRecord`, as in `reporting.json`; `verification` is null where there was none. Names and meanings
stay; later versions may add keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from unplace.batch.records import RepositoryRecord
from unplace.reporting.migrating import said
from unplace.reporting.text import visible
from unplace.reporting.totals import Totals, Verdict, duration
from unplace.version import __version__

_SAID_IN_ALL = 10
"""The largest number of errors, flaky tests and reasons listed; the page and the JSON have them all."""


def json_lines(records: Iterable[RepositoryRecord], *, dry_run: bool = False) -> Iterator[str]:
    """Yield a line for each repository, without line end (ASCII only, so that no terminal or pipe can garble it)."""
    for record in records:
        yield json.dumps(_repository(record, dry_run=dry_run))


def _repository(record: RepositoryRecord, *, dry_run: bool) -> dict[str, Any]:
    totals = Totals([record])
    (row,) = totals.rows
    verification = record.verification
    return {
        "version": __version__,
        "name": record.name,
        "target": record.target,
        "result": said(record.result, dry_run=dry_run),
        "reason": record.reason,
        "branch": record.branch,
        "commit": record.commit,
        "patch": record.patch,
        "files": record.files,
        "lines": record.lines,
        "changed": row.changed,
        "seconds": record.seconds,
        "summary": {verdict.name.lower(): row.tally.count(verdict) for verdict in Verdict},
        "sites": [{"path": file.path, **asdict(site)} for file in record.found for site in file.sites],
        "errors": [asdict(error) for error in record.errors],
        "verification": None if verification is None else asdict(verification),
    }


def markdown(records: Iterable[RepositoryRecord], *, dry_run: bool = False) -> str:
    """Return the summary in the Markdown of GitHub and GitLab."""
    totals = Totals(records)
    parts = [
        ["# unplace migration"],
        [" ".join([totals.headline(dry_run=dry_run), *totals.sentences(dry_run=dry_run)])],
        _table(
            ("Repository", "Result", *_VERDICTS, "Harmful", "Verification", "Time"), _repositories(totals, dry_run), 2
        ),
        _table(("Rule", *_VERDICTS, "Harmful"), _rules(totals), 1),
        _table(("Why", "Reason", "Operations", "Repositories"), _reasons(totals), 2),
        _errors(totals),
        _flaky(totals),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


_VERDICTS = ("Rewritten", "Refused", "Left out", "Kept")


def _repositories(totals: Totals, dry_run: bool) -> Iterator[list[str]]:
    for row in totals.rows:
        record, verification = row.record, row.record.verification
        word = said(record.result, dry_run=dry_run)
        result = f"{word}: {record.reason}" if record.reason else word
        verified = verification.verdict if verification else ""
        figures = [f"{row.tally.count(verdict):,}" for verdict in Verdict]
        harmful = f"{row.tally.count(harm='harmful'):,}"
        yield [_plain(record.name), _plain(result), *figures, harmful, verified, duration(record.seconds)]


def _rules(totals: Totals) -> Iterator[list[str]]:
    for code, tally in sorted(totals.rules.items()):
        yield [code, *(f"{tally.count(verdict):,}" for verdict in Verdict), f"{tally.count(harm='harmful'):,}"]


def _reasons(totals: Totals) -> Iterator[list[str]]:
    for reason, group in totals.ranked_reasons()[:_SAID_IN_ALL]:
        yield [reason.cause.value, _plain(reason.text), f"{group.count:,}", f"{len(group.repositories):,}"]


def _errors(totals: Totals) -> list[str]:
    errors = [(row.record.name, error) for row in totals.rows for error in row.record.errors]
    return _list("Could not be handled:", [(name, f"{e.path}:{e.line or 1}: {e.message}") for name, e in errors])


def _flaky(totals: Totals) -> list[str]:
    checks = [(row.record.name, row.record.verification) for row in totals.rows]
    tests = [(name, test) for name, verification in checks if verification for test in verification.flaky]
    return _list("Flaky tests, left out of the judgement:", tests)


def _list(title: str, items: Sequence[tuple[str, str]]) -> list[str]:
    """Return a title and a list of texts, each with the repository that it belongs to; empty where there are none."""
    lines = [f"- {_plain(f'{name}: {text}')}" for name, text in items[:_SAID_IN_ALL]]
    more = [f"- and {len(items) - len(lines):,} more"] if len(items) > len(lines) else []
    return [title, "", *lines, *more] if lines else []


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> list[str]:
    """Return a table whose first `texts` columns hold text and the others figures; empty where there are no rows."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    return [f"| {' | '.join(head)} |", f"| {' | '.join(rule)} |", *lines] if lines else []


def _plain(text: str) -> str:
    """Escape a text so that Markdown shows it literally, in one line."""
    return re.sub(r"([\\`*_\[\]<>#|~@&])", r"\\\1", " ".join(visible(text).split()))
