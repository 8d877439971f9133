"""The outcomes of one repository's files, kept from one attempt to the next and from one run to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unplace.runs.outcome import Outcome
from unplace.runs.packing import packed, unpacked

_PATIENCE = 60.0
"""Seconds to wait for the process of an attempt that was given up, but hasn't ended yet."""

_TABLES = """
CREATE TABLE IF NOT EXISTS outcomes (path TEXT PRIMARY KEY, key TEXT NOT NULL, outcome BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (kind TEXT PRIMARY KEY, key TEXT NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
"""


class Store:
    """A database that one process at a time has open: a second attempt at a repository waits for the first to end.

    The key of an entry must cover everything that the entry depends on (`unplace.files.keys`).
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        # Exclusively locked, the write-ahead log needs no shared memory, so that it works on network file systems.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        """Close the database, so that others can open it."""
        self._connection.close()

    def has_outcome(self, path: str, key: str) -> bool:
        """Tell whether the outcome of a file is known under a key."""
        query = "SELECT 1 FROM outcomes WHERE path = ? AND key = ?"
        return self._connection.execute(query, (path, key)).fetchone() is not None

    def outcome(self, path: str, key: str) -> Outcome:
        """Return the outcome of a file, which must be known."""
        query = "SELECT outcome FROM outcomes WHERE path = ? AND key = ?"
        (data,) = self._connection.execute(query, (path, key)).fetchone()
        outcome: Outcome = unpacked(data)
        return outcome

    def keep_outcome(self, path: str, key: str, outcome: Outcome) -> None:
        """Remember the outcome of a file, in place of an earlier one."""
        self._connection.execute("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)", (path, key, packed(outcome)))

    def forget_others(self, paths: Iterable[str]) -> None:
        """Forget all files but these."""
        known = {path for (path,) in self._connection.execute("SELECT path FROM outcomes")}
        gone = [(path,) for path in known.difference(paths)]
        self._connection.executemany("DELETE FROM outcomes WHERE path = ?", gone)

    def kept(self, kind: str, key: str) -> Any:
        """Return the result of a run of the repository's command; None where it isn't known."""
        row = self._connection.execute("SELECT value FROM kept WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return None if row is None else unpacked(row[0])

    def keep(self, kind: str, key: str, value: object) -> None:
        """Remember the result of a run of the repository's command, in place of an earlier one of its kind."""
        self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (kind, key, packed(value)))
