"""What is known of one repository's files, kept from one attempt to the next and from one run to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unplace.runs.outcome import Outcome
from unplace.runs.packing import packed, unpacked

_PATIENCE = 60.0
"""Seconds to wait for an attempt that was given up but hasn't noticed."""

_TABLES = """
CREATE TABLE IF NOT EXISTS outcomes (path TEXT PRIMARY KEY, key TEXT NOT NULL, outcome BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verifications (key TEXT PRIMARY KEY, verification BLOB NOT NULL) WITHOUT ROWID;
"""


class Store:
    """A database that one process at a time has open: a second attempt at a repository waits for the first to end.

    An entry is found under a key, which must cover everything that it follows from (`unplace.files.keys`).
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        # Exclusively locked, the write-ahead log needs no shared memory, so that it works on network file systems.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        """Let others have it."""
        self._connection.close()

    def has_outcome(self, path: str, key: str) -> bool:
        """Whether it is known what became of a file."""
        query = "SELECT 1 FROM outcomes WHERE path = ? AND key = ?"
        return self._connection.execute(query, (path, key)).fetchone() is not None

    def outcome(self, path: str, key: str) -> Outcome:
        """What became of a file, which must be known."""
        query = "SELECT outcome FROM outcomes WHERE path = ? AND key = ?"
        (data,) = self._connection.execute(query, (path, key)).fetchone()
        outcome: Outcome = unpacked(data)
        return outcome

    def keep_outcome(self, path: str, key: str, outcome: Outcome) -> None:
        """Remember what became of a file; what was known of it before is forgotten."""
        self._connection.execute("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)", (path, key, packed(outcome)))

    def forget_others(self, paths: Iterable[str]) -> None:
        """Forget the files that are no longer there."""
        known = {path for (path,) in self._connection.execute("SELECT path FROM outcomes")}
        gone = [(path,) for path in known.difference(paths)]
        self._connection.executemany("DELETE FROM outcomes WHERE path = ?", gone)

    def verification(self, key: str) -> Any:
        """What a verification came to, if that is known."""
        row = self._connection.execute("SELECT verification FROM verifications WHERE key = ?", (key,)).fetchone()
        return None if row is None else unpacked(row[0])

    def keep_verification(self, key: str, verification: object) -> None:
        """Remember what a verification came to, and no other one."""
        self._connection.execute("BEGIN")
        self._connection.execute("DELETE FROM verifications")
        self._connection.execute("INSERT INTO verifications VALUES (?, ?)", (key, packed(verification)))
        self._connection.execute("COMMIT")
