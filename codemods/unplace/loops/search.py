"""Looks for the first repair of a training program that is proved; every file is put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unplace.diagnosis.launcher import Program
from unplace.files.writing import replace_contents
from unplace.loops.choices import choices
from unplace.loops.edits import Promise, Repairing, changed, repairs
from unplace.loops.events import Log
from unplace.loops.proof import Recorder, begins_alike, goal_of, is_proved
from unplace.loops.recording import Request
from unplace.loops.scene import Scene, Texts, scenes
from unplace.runs.outcome import Change
from unplace.text.source import Source, SourceError, read_source

_DEEPEST = 4
"""The repairs of one program that build on each other."""

Culprits = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Proved:
    """A repair that was proved: the changed files, and in how many steps gradients were compared."""

    changes: dict[str, Change]
    promise: Promise
    names: tuple[str, ...]
    steps: int

    @property
    def verdict(self) -> str:
        """A sentence about what is known of the training."""
        if self.promise in (Promise.GRADIENTS, Promise.VALUES):
            return (
                "Each optimizer gets the same gradients as if each backward had used the values that it saved:"
                f" compared bit by bit in {self.steps} steps."
            )
        if self.promise is Promise.LOSSES:
            return "The later loss is now that of the new weights; while these stay, all gradients are the same."
        return "The gradient now stops where a round begins; up to there, all gradients are the same."


@dataclass(frozen=True, slots=True)
class Found:
    """What the search found: the repair that is proved to train alike, or one that people may choose."""

    proved: Proved | None
    chosen: Proved | None
    is_distributed: bool = False


def search(program: Program, record: Recorder, failed_at: int, culprits: Culprits) -> Found:
    """Look for a repair of a program in which the backward of a number fails; every file is put back at the end."""
    reference = record(Request(program, keeps=True, asked=failed_at))
    if reference.is_distributed:
        return Found(None, None, is_distributed=True)
    sources = _sources(reference)
    search = _Search(program, record, reference, sources)
    log = replace(reference, failed_at=failed_at)
    texts = {path: source.text for path, source in sources.items()}
    try:
        proved = search.first(log, texts, culprits, repairs)
        chosen = None if proved is not None else search.first(log, texts, culprits, choices)
    finally:
        search.put_back()
    return Found(proved, chosen)


def _sources(log: Log) -> dict[str, Source]:
    """Return the files whose code led to the events of a run."""
    paths = dict.fromkeys(spot.path for event in log.events for spot in event.stack)
    read = ((path, _read(path)) for path in paths)
    return {path: source for path, source in read if source is not None}


def _read(path: str) -> Source | None:
    try:
        return read_source(Path(path).read_bytes())
    except (OSError, SourceError):  # a cell of a notebook, or code given to `exec`
        return None


class _Search:
    def __init__(self, program: Program, record: Recorder, reference: Log, sources: dict[str, Source]) -> None:
        self._program, self._record, self._reference = program, record, reference
        self._sources = sources
        self._written = {path: source.data for path, source in sources.items()}
        self._goal = goal_of(reference)
        self._frozen: Log | None = None
        self._tried: set[frozenset[tuple[str, str]]] = set()

    def put_back(self) -> None:
        self._write({path: source.text for path, source in self._sources.items()})

    def first(
        self,
        log: Log,
        texts: Texts,
        culprits: Culprits,
        offers: Callable[[Scene], Iterator[Repairing]],
        names: tuple[str, ...] = (),
    ) -> Proved | None:
        """Return the first repair that is proved, with those in front of it that only go on to the next failure."""
        further: list[tuple[Repairing, Log]] = []
        for scene in scenes(log, texts, culprits):
            for repairing in offers(scene):
                if not self._is_new(repairing.texts):
                    continue
                self._write(repairing.texts)
                live = self._record(Request(self._program, keeps=False, until=self._goal))
                if is_proved(repairing.promise, scene, self._reference, live, lambda: self._stopped(repairing)):  # noqa: B023
                    return self._proved(repairing, (*names, repairing.name))
                if _goes_on(log, self._reference, live, repairing):
                    further.append((repairing, live))
        for repairing, live in further if len(names) + 1 < _DEEPEST else ():
            self._write(repairing.texts)
            again = self._record(Request(self._program, keeps=True, asked=live.failed_at))
            found = self.first(
                replace(again, failed_at=live.failed_at), repairing.texts, (), offers, (*names, repairing.name)
            )
            if found is not None:
                return found
        return None

    def _is_new(self, texts: Texts) -> bool:
        key = frozenset(texts.items())
        is_new = key not in self._tried
        self._tried.add(key)
        return is_new

    def _stopped(self, repairing: Repairing) -> tuple[Log, Log]:
        """Return the logs of the original and of the edited program, whose steps change nothing."""
        request = Request(self._program, keeps=True, is_frozen=True, until=self._goal)
        after = self._record(request)
        if self._frozen is None:
            self.put_back()
            self._frozen = self._record(request)
            self._write(repairing.texts)
        return self._frozen, after

    def _proved(self, repairing: Repairing, names: tuple[str, ...]) -> Proved:
        texts = changed({path: source.text for path, source in self._sources.items()}, repairing.texts)
        changes = {p: Change(self._sources[p], self._sources[p].with_text(text)) for p, text in texts.items()}
        return Proved(changes, repairing.promise, names, sum(self._goal.values()))

    def _write(self, texts: Texts) -> None:
        for path, source in self._sources.items():
            data = source.with_text(texts[path]).data
            if data != self._written[path]:
                replace_contents(path, self._written[path], data)
                self._written[path] = data


def _goes_on(failed: Log, reference: Log, live: Log, repairing: Repairing) -> bool:
    """Tell whether an edited program fails at a later backward, having trained alike up to there."""
    assert failed.failed_at is not None
    if live.failed_at is None or live.failed_at <= failed.failed_at:
        return False
    return repairing.promise in (Promise.LOSSES, Promise.FIRST_ROUND) or begins_alike(reference, live)
