"""The state of a run in an SQLite database, written by the run alone and read by anybody at any time."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from unplace.batch.job import Settings, settings_from, to_json
from unplace.batch.record_json import record_from_json, record_to_json
from unplace.batch.records import RepositoryRecord, Result
from unplace.batch.standing import Standing, standing
from unplace.batch.state_folder import PROGRESS, WORK
from unplace.batch.targets import Target

_VERSION = 1
"""The version of the tables, kept as the database's `user_version`."""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    settings TEXT NOT NULL,
    started REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS repositories (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    verify_command TEXT,
    timeout REAL
);
CREATE TABLE IF NOT EXISTS attempts (
    name TEXT NOT NULL REFERENCES repositories (name),
    started REAL NOT NULL,
    problem TEXT
);
CREATE TABLE IF NOT EXISTS records (
    name TEXT PRIMARY KEY REFERENCES repositories (name),
    result TEXT NOT NULL,
    files INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    document BLOB NOT NULL
) WITHOUT ROWID;
"""

AGAIN = (Result.SKIPPED, Result.FAILED)
"""The results that are tried again when a run goes on: the owner may have removed the reason."""


class StateError(Exception):
    """Raised where the state folder can't be used as asked; the message says why, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    `results` counts the finished repositories by their result, with `files` and `errors` in them; `running` tells of
    each repository that is being worked on how far it is.
    """

    total: int
    results: dict[Result, int]
    running: dict[str, Standing]
    files: int
    errors: int

    @property
    def done(self) -> int:
        """The number of finished repositories."""
        return sum(self.results.values())

    @property
    def files_so_far(self) -> int:
        """The number of files done, in finished repositories and in others."""
        return self.files + sum(standing.done for standing in self.running.values())


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the state folder for this process; raise `StateError` where another process has it.

    The lock is SQLite's, so that it is gone with the process on every system.
    """
    lock = sqlite3.connect(folder / "lock.sqlite", timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        raise StateError(
            f"another run works in {folder}: wait for it (--status shows how far it is), or name another folder "
            "with --state"
        ) from None
    else:
        yield
    finally:
        lock.close()


def is_active(folder: Path) -> bool:
    """Tell whether a run works in the state folder now."""
    try:
        with locked(folder):
            return False
    except StateError:
        return True


class RunState:
    """The database of a run: its settings and repositories, the attempts, and the records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._connection = sqlite3.connect(folder / "state.sqlite", timeout=60, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise StateError(f"{folder} is of another version of unplace; name another folder with --state")
        self._connection.executescript(_TABLES)
        self._connection.execute(f"PRAGMA user_version = {_VERSION}")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    # -- what the run is about ------------------------------------------------------------------------------------

    def begin(self, settings: Settings, targets: Sequence[Target]) -> None:
        """Begin a run, and forget the one before."""
        with self._transaction():
            for table in ("records", "attempts", "repositories", "runs"):
                self._connection.execute(f"DELETE FROM {table}")
            self._connection.execute("INSERT INTO runs VALUES (?, ?)", (to_json(settings), time.time()))
            rows = [(n, t.name, t.location, t.verify_command, t.timeout) for n, t in enumerate(targets)]
            self._connection.executemany("INSERT INTO repositories VALUES (?, ?, ?, ?, ?)", rows)

    def take_up(self) -> None:
        """Go on with a run: have the repositories that were skipped or failed tried again."""
        marks = ", ".join("?" * len(AGAIN))
        with self._transaction():
            self._connection.execute("DELETE FROM attempts")
            self._connection.execute(f"DELETE FROM records WHERE result IN ({marks})", [r.value for r in AGAIN])

    def settings(self) -> Settings | None:
        """Return the settings of the run; None where no run has begun."""
        row = self._connection.execute("SELECT settings FROM runs").fetchone()
        return None if row is None else settings_from(row[0])

    def open_targets(self) -> list[Target]:
        """Return the repositories that have no record yet, in order."""
        query = (
            "SELECT target, name, verify_command, timeout FROM repositories "
            "WHERE name NOT IN (SELECT name FROM records) ORDER BY position"
        )
        return [Target(*row) for row in self._connection.execute(query)]

    # -- what became of it ----------------------------------------------------------------------------------------

    def note_attempt(self, name: str) -> None:
        """Remember that a repository is handed out."""
        self._connection.execute("INSERT INTO attempts VALUES (?, ?, NULL)", (name, time.time()))

    def note_problem(self, name: str, problem: str) -> list[str]:
        """Remember why the last attempt at a repository failed; return the problems of all attempts at it."""
        query = "UPDATE attempts SET problem = ? WHERE rowid = (SELECT max(rowid) FROM attempts WHERE name = ?)"
        self._connection.execute(query, (problem, name))
        rows = self._connection.execute("SELECT problem FROM attempts WHERE name = ? ORDER BY rowid", (name,))
        return [row[0] for row in rows if row[0] is not None]

    def keep(self, record: RepositoryRecord) -> None:
        """Store the record of a repository."""
        document = zlib.compress(record_to_json(record).encode("ascii"), 1)
        row = (record.name, record.result.value, record.files, len(record.errors), document)
        self._connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)", row)

    def records(self) -> Iterator[RepositoryRecord]:
        """Yield the records in the order of the repositories, each read when it is its turn."""
        query = "SELECT document FROM repositories JOIN records USING (name) ORDER BY position"
        for (document,) in self._connection.execute(query):
            yield record_from_json(zlib.decompress(document).decode("ascii"))

    def progress(self) -> Progress:
        """Return the progress of the run."""
        (total,) = self._connection.execute("SELECT count(*) FROM repositories").fetchone()
        query = "SELECT result, count(*), sum(files), sum(errors) FROM records GROUP BY result"
        rows = self._connection.execute(query).fetchall()
        results = {Result(result): count for result, count, _, _ in rows}
        running = dict(self._running())
        return Progress(total, results, running, sum(row[2] for row in rows), sum(row[3] for row in rows))

    def _running(self) -> Iterator[tuple[str, Standing]]:
        for target in self.open_targets():
            told = standing(Path(self.folder, WORK, target.name, PROGRESS))
            if told is not None:
                yield target.name, told

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
