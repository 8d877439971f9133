"""Observes a repository's own command, its test suite for example, before the repository is rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unplace.batch.standing import OBSERVING, Meter
from unplace.batch.store import Store
from unplace.files.keys import key_of
from unplace.observation.facts import Observations
from unplace.observation.launching import watching
from unplace.verification.command import Command
from unplace.verification.loading import locate
from unplace.verification.resource_limits import Limits
from unplace.verification.scratch import scratch_copy


def observed(
    command: str, seconds: float, files: Sequence[str], store: Store, given: str, meter: Meter
) -> Observations:
    """Run a command in a copy of the current folder, and return what it shows about the operations in these files.

    Facts are kept in the store, and the command isn't run again for the same `given` (a key of all files).
    """
    key = key_of(command, repr(seconds), given)
    known: Observations | None = store.kept("facts", key)
    if known is None:
        meter.runs(OBSERVING, 1, 1)
        known = _seen(command, seconds, [Path(path) for path in files if path.endswith(".py")])
        store.keep("facts", key, known)
    return Observations(str(Path.cwd()), by_file=known.by_file, calls=known.calls)


def _seen(command: str, seconds: float, files: Sequence[Path]) -> Observations:
    here = Path.cwd()
    packages = dict.fromkeys(place.search[0] for file in files if not (place := locate(file)).is_lone)
    with scratch_copy(here, ()) as scratch, watching(scratch.path(here)) as watch:
        search = [*watch.path, *(scratch.path(folder) for folder in (*packages, here) if scratch.covers(folder))]
        Command(command, scratch.path(here), search, Limits(seconds), variables=watch.variables).run()
    return watch.found
