"""What the outcome of a file depends on: its result may be kept as long as that is as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from unplace.analysis.project.locating import Files, Module, Package, Root
from unplace.analysis.project.mentions import Asked, Mentions
from unplace.files.surroundings import Question, Surroundings


class Around(NamedTuple):
    """A question about what lies around a file, by its path."""

    question: Question
    path: str


class Word(NamedTuple):
    """The question whether another file than that of a path contains a name, in whatever meaning."""

    name: str
    path: str


Reading = Asked | Around | Word | Module | Package | Root
"""A question about the files of a run that isn't about what one of them contains."""


@dataclass(frozen=True, slots=True)
class Basis:
    """The dependencies of a file's outcome besides its own text: `files`, other files of the run, and `answers`.

    `taken` are the files whose functions were judged by the callers in the run alone, as nothing else calls them.
    """

    files: tuple[str, ...] = ()
    answers: tuple[tuple[Reading, object], ...] = ()
    taken: frozenset[str] = frozenset()


class Grounds:
    """The files of a run and what lies around them, as results depend on them."""

    def __init__(self, files: Files, mentions: Mentions, around: Surroundings) -> None:
        """Start with the files, their names and what is around them."""
        self._files, self._mentions, self._around = files, mentions, around

    def answers(self, readings: Iterable[Reading]) -> tuple[tuple[Reading, object], ...]:
        """Return questions with their answers."""
        return tuple((reading, self._answer(reading)) for reading in readings)

    def hold(self, answers: Iterable[tuple[Reading, object]]) -> bool:
        """Tell whether questions still have these answers."""
        return all(self._answer(reading) == answer for reading, answer in answers)

    def _answer(self, reading: Reading) -> object:
        if isinstance(reading, Around):
            return self._around.tells(*reading)
        if isinstance(reading, Word):
            return self._mentions.are_elsewhere(*reading)
        if isinstance(reading, Module | Package | Root):
            return self._files.answer(reading)
        return self._mentions.others_with(*reading)
