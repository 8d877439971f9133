"""The files of one repository: which there are, and what becomes of each, worked out once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unplace.batch.rewriting import outcomes
from unplace.batch.store import Store
from unplace.config.options import Options
from unplace.diagnostics.findings import Problem
from unplace.files.discovery import discover, shown
from unplace.files.keys import digest_of, key_of
from unplace.files.patterns import Patterns
from unplace.runs.outcome import Outcome
from unplace.transform.rewriter import may_have_sites

Tick = Callable[[int, int], None]
"""Is told how many files are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """The Python files below the current folder, and the keys under which what becomes of them is known.

    `digest` stands for all of them and the options.

    What becomes of a file follows from its own text and from the names in all the others, so a change in one of them
    has all looked at again. Only a file without any sign of an in-place operation stands alone.
    """

    paths: Sequence[str]
    keys: Sequence[str]
    digest: str
    lines: int
    problems: Sequence[Problem]

    @classmethod
    def found(cls, exclude: Patterns | None, settings: str) -> RepositoryFiles:
        """Look for them; `settings` stands for the options that apply. Links are left alone: they may lead outside."""
        discovery = discover([Path.cwd()], exclude)
        paths = [path for path in discovery.files if not Path(path).is_symlink()]
        contents: list[str] = []
        alone: list[bool] = []
        lines = 0
        for path in paths:
            try:
                data = Path(path).read_bytes()
            except OSError:  # reported when it is its turn
                data = b""
            contents.append(digest_of(data))
            alone.append(not may_have_sites(data))
            lines += data.count(b"\n")
        names = list(map(shown, paths))
        together = key_of(settings, *(part for pair in zip(names, contents, strict=True) for part in pair))
        keys = [
            key_of("alone" if lonely else together, content) for lonely, content in zip(alone, contents, strict=True)
        ]
        return cls(paths, keys, together, lines, discovery.problems)

    def outcomes(self, options: Options, jobs: int, store: Store, tick: Tick) -> list[Outcome]:
        """What becomes of each file, worked out in up to `jobs` processes; what the store knows is taken from there."""
        keys = dict(zip(self.paths, self.keys, strict=True))
        missing = [path for path, key in keys.items() if not store.has_outcome(shown(path), key)]
        done = len(keys) - len(missing)
        tick(done, len(keys))
        # They are gathered at the end only: the processes are forked from this one, with all that it has.
        for path, outcome in zip(missing, outcomes(missing, options, jobs, among=self.paths), strict=True):
            store.keep_outcome(shown(path), keys[path], outcome)
            done += 1
            tick(done, len(keys))
        store.forget_others(map(shown, keys))
        return [store.outcome(shown(path), key) for path, key in keys.items()]
