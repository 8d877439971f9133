"""Remembers the outcomes of files, so that work on unchanged files isn't repeated.

The cache is a folder of the user, and never lies beside the code: results that come with a repository aren't trusted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_cache_path

from unplace import documents
from unplace.analysis.project.basis import Around, Basis, Grounds
from unplace.analysis.project.locating import Files
from unplace.analysis.project.mentions import Mentions
from unplace.config.options import SETTINGS, Options
from unplace.diagnostics.findings import Finding, Problem
from unplace.files.discovery import shown
from unplace.files.keys import digest_of, key_of
from unplace.files.surroundings import Surroundings
from unplace.runs.outcome import Change, Outcome
from unplace.runs.packing import UnpackError, packed, unpacked
from unplace.text.edits import Edit, apply_edits

VARIABLE = "UNPLACE_CACHE_DIR"
"""The environment variable that names another folder for the cache."""

_NAME = "results.sqlite"
_PATIENCE = 5.0
"""Seconds to wait for another run that reads or writes."""

_DAY = 24 * 60 * 60
_LASTING = 30 * _DAY
"""Seconds for which a result is kept without being used."""

_MOST = 4
"""Number of results that are kept for one file as it is, beside others as they were."""

_TABLE = """
CREATE TABLE IF NOT EXISTS outcomes (
    key TEXT, run TEXT, used REAL NOT NULL, result BLOB NOT NULL, PRIMARY KEY (key, run)
)
"""
_FOUND = "SELECT key, result FROM outcomes WHERE key = ? ORDER BY used DESC"
_FORGOTTEN = """
DELETE FROM outcomes
WHERE key = ? AND run NOT IN (SELECT run FROM outcomes WHERE key = ? ORDER BY used DESC LIMIT ?)
"""


class ResultsError(Exception):
    """Raised where earlier results can't be read, or new ones can't be kept."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The outcome of a file, and what it depends on: digests of other files, names in them, a key of the whole run."""

    findings: tuple[Finding, ...]
    edits: tuple[Edit, ...]
    warnings: tuple[Problem, ...]
    is_changed: bool
    files: tuple[tuple[str, str], ...]
    basis: Basis
    run: str


def folder() -> Path:
    """Return the folder of the cache: the one that the environment names, else the user's cache folder."""
    told = os.environ.get(VARIABLE)
    return Path(told) if told else user_cache_path("unplace", appauthor=False)


class Results:
    """The earlier results that hold for the files of one run, and the new ones to be saved."""

    def __init__(self, place: Path, paths: Sequence[str], options: Options) -> None:
        """Read all files and their earlier results; raise `ResultsError` where those can't be read.

        `place` is the folder of the database. The options must be for whole files, not for changed lines only.
        """
        assert options.changed is None
        self._place = place
        self._markdown = options.markdown
        self._absolute = {path: str(Path(path).absolute()) for path in paths}
        self._stamps = {path: _stamp(path) for path in self._absolute.values()}
        self._digests = {path: digest_of(_read(path)) for path in self._absolute.values()}
        around = Surroundings(self._digests)
        self._grounds = Grounds(Files(frozenset(self._digests)), Mentions(self._digests), around)
        listing = sorted(self._digests)
        self._run = key_of(*(part for path in listing for part in (path, self._digests[path])))
        self._settings = key_of(*_said(options), repr(len(listing) > 1))
        self._keys = {
            path: key_of(self._settings, repr(sorted(options.wanted(shown(path)))), own, self._digests[own])
            for path, own in self._absolute.items()
        }
        self._used: list[tuple[str, str]] = []
        self._new: list[tuple[str, Outcome]] = []
        self._known = self._load()

    def outcome(self, path: str) -> Outcome | None:
        """Return the outcome of a file; None where it isn't known."""
        results = self._known.get(self._keys[path], ())
        result = next(filter(self._holds, results), None)
        if result is None:
            return None
        data = _read(path)
        if digest_of(data) != self._digests[self._absolute[path]]:
            return None
        self._used.append((self._keys[path], result.run))
        name = shown(path)
        warnings = tuple(replace(warning, path=name) for warning in result.warnings)
        if not result.findings and not result.is_changed:
            return Outcome(name, warnings=warnings, basis=result.basis)
        source = documents.read(data, path, markdown=self._markdown)
        change = None
        if result.is_changed:
            change = Change(source, source.with_text(apply_edits(source.text, result.edits)))
        return Outcome(name, result.findings, change, None, result.edits, source, warnings, result.basis)

    def keep(self, path: str, outcome: Outcome) -> None:
        """Remember the outcome of a file, unless it failed: the next run may have more time, or memory."""
        if outcome.problem is None:
            self._new.append((path, outcome))

    def save(self) -> None:
        """Save the new outcomes, and delete those unused for 30 days; raise `ResultsError` where that can't be done."""
        now = time.time()
        moved = {path for path, stamp in self._stamps.items() if _stamp(path) != stamp}
        rows = [
            (self._keys[path], self._run, now, packed(self._result(outcome)))
            for path, outcome in self._new
            if not moved & {self._absolute[path], *outcome.basis.files}
        ]
        self._new.clear()
        try:
            with closing(_connected(self._place)) as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)", rows)
                refreshed = [(now, *used, now - _DAY) for used in self._used]
                connection.executemany("UPDATE outcomes SET used = ? WHERE key = ? AND run = ? AND used < ?", refreshed)
                connection.execute("DELETE FROM outcomes WHERE used < ?", (now - _LASTING,))
                connection.executemany(_FORGOTTEN, [(key, key, _MOST) for key, *_ in rows])
        except (OSError, sqlite3.Error) as error:
            raise ResultsError(f"results can't be kept in {self._place} ({error})") from None

    def _load(self) -> dict[str, list[_Result]]:
        """Return the earlier results by their keys, the latest first."""
        wanted = set(self._keys.values())
        try:
            with closing(_connected(self._place)) as connection:
                rows = [row for key in wanted for row in connection.execute(_FOUND, (key,))]
            found: dict[str, list[_Result]] = {}
            for key, data in rows:
                found.setdefault(key, []).append(unpacked(data))
            return found
        except (OSError, sqlite3.Error, UnpackError) as error:
            raise ResultsError(f"earlier results can't be read from {self._place} ({error})") from None

    def _holds(self, result: _Result) -> bool:
        """Tell whether everything that a result depends on is as it was."""
        answers = result.basis.answers
        if result.run == self._run:  # only what isn't of the run may differ
            return self._grounds.hold((reading, found) for reading, found in answers if isinstance(reading, Around))
        if any(self._digests.get(file) != digest for file, digest in result.files):
            return False
        return self._grounds.hold(answers)

    def _result(self, outcome: Outcome) -> _Result:
        files = tuple((path, self._digests.get(path, "")) for path in outcome.basis.files)
        return _Result(
            outcome.findings,
            outcome.edits,
            outcome.warnings,
            outcome.change is not None,
            files,
            outcome.basis,
            self._run,
        )


def _said(options: Options) -> list[str]:
    """Return the options that hold for all files, as text for a key."""
    said = [(getattr(options, each.name), each.kind) for each in SETTINGS if not each.kind.names_rules]
    written = ["" if value is None else kind.as_toml(value) for value, kind in said]
    flags = (options.comments, options.spans_later, options.markdown, options.counts)
    return [*written, *map(repr, flags), *(text for _, text in options.models)]


def _connected(place: Path) -> sqlite3.Connection:
    place.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(place / _NAME, timeout=_PATIENCE)
    connection.execute("DROP TABLE IF EXISTS results")  # of earlier versions
    connection.execute(_TABLE)
    return connection


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:  # reported when it is that file's turn
        return b""


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
