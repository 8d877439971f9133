"""The Python files and notebooks of one repository, and their outcomes, each worked out once for the same contents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unplace.batch.rewriting import outcomes
from unplace.batch.store import Store
from unplace.config.options import Options
from unplace.diagnostics.findings import Problem
from unplace.documents import suffixes
from unplace.files.discovery import discover, shown
from unplace.files.keys import digest_of, key_of
from unplace.files.patterns import Patterns
from unplace.runs.outcome import Outcome
from unplace.transform.rewriter import may_have_sites, may_write_argument

Tick = Callable[[int, int], None]
"""Called with the number of files done and the number of all files."""


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """The Python files and notebooks below the current folder, each with the key under which its outcome is stored.

    `digest` identifies the contents of all files together with the options.

    The outcome of a file depends on its own text and on the names in all other files, so a change in one file gives
    all of them new keys. Only a file without any sign of an in-place operation has a key of its own contents alone.
    """

    paths: Sequence[str]
    keys: Sequence[str]
    digest: str
    lines: int
    problems: Sequence[Problem]

    @classmethod
    def found(cls, exclude: Patterns | None, settings: str) -> RepositoryFiles:
        """Find the files; `settings` identifies the options that apply. Links are left out: they may lead outside."""
        discovery = discover([Path.cwd()], exclude, suffixes(markdown=False))
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
            alone.append(path.endswith(".py") and not (may_have_sites(data) or may_write_argument(data)))
            lines += data.count(b"\n")
        names = list(map(shown, paths))
        together = key_of(settings, *(part for pair in zip(names, contents, strict=True) for part in pair))
        keys = [
            key_of("alone" if lonely else together, content) for lonely, content in zip(alone, contents, strict=True)
        ]
        return cls(paths, keys, together, lines, discovery.problems)

    def under(self, more: str) -> RepositoryFiles:
        """Return the files with keys that also identify something else on which their outcomes depend."""
        return replace(self, keys=[key_of(key, more) for key in self.keys], digest=key_of(self.digest, more))

    def outcomes(self, options: Options, jobs: int, store: Store, tick: Tick) -> list[Outcome]:
        """Return the outcome of each file, from the store where it is known, else worked out in up to `jobs` processes.

        New outcomes are added to the store; `tick` is called after each file.
        """
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
