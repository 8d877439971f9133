"""Collects the data of the page's script in a compact form: each text once, and only the hunks of each file.

    {"strings": [...], "repositories": [[name, result], ...], "reasons": [[cause, text], ...],
     "files": [[repository, path, diff, [site, ...]], ...]}

A site is `[line, column, code, verdict, applicability, harm, message, [assumption, ...], saved by, source,
[reason, ...], cell, line in the file]`; its texts are indices into `strings`, and a cell of 0 is none. A diff is
unified, without its head; empty where nothing changes.
"""

from __future__ import annotations

import json
from typing import Any

from unplace.batch.records import RepositoryRecord, SiteRecord
from unplace.reporting.page.hunks import hunks
from unplace.reporting.text import visible
from unplace.reporting.totals import Why, reasons_of, verdict_of

_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"}
"""Escapes for letters that stand only in strings in JSON, but could end the script element or open a comment."""


class Data:
    """Collects the data that the page's script needs."""

    def __init__(self) -> None:
        self.reasons: dict[Why, int] = {}
        self._strings: dict[str, int] = {}
        self._repositories: list[list[str]] = []
        self._files: list[list[Any]] = []

    def add(self, record: RepositoryRecord) -> None:
        """Add a repository."""
        repository = len(self._repositories)
        self._repositories.append([visible(record.name), record.result.value])
        for file in record.found:
            source = file.before.split("\n") if file.before is not None else []
            sites = [self._site(site, source) for site in file.sites]
            self._files.append([repository, visible(file.path), visible(hunks(file.before, file.after)), sites])

    def json(self) -> str:
        """Return the data as JSON, without letters that could end the script element around it."""
        reasons = [[reason.cause.value, visible(reason.text)] for reason in self.reasons]
        value = {
            "strings": list(self._strings),
            "repositories": self._repositories,
            "reasons": reasons,
            "files": self._files,
        }
        return json.dumps(value, separators=(",", ":")).translate(_ESCAPES)

    def _site(self, site: SiteRecord, source: list[str]) -> list[Any]:
        line = site.source or (source[site.line - 1] if 0 < site.line <= len(source) else "")
        return [
            site.line,
            site.column,
            self._string(site.code),
            self._string(verdict_of(site).value),
            self._string(site.applicability or ""),
            self._string(site.harm),
            self._string(site.message),
            [self._string(assumption) for assumption in site.assumptions],
            self._string(site.saved_by or ""),
            self._string(line.strip()),
            [self.reasons.setdefault(reason, len(self.reasons)) for reason in reasons_of(site)],
            site.cell or 0,
            site.in_file or site.line,
            self._string(site.verified),
        ]

    def _string(self, text: str) -> int:
        return self._strings.setdefault(visible(text), len(self._strings))
