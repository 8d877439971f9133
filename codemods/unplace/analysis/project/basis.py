"""What the outcome of a file depends on: its result may be kept as long as that is as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from unplace.analysis.project.mentions import Asked
from unplace.files.surroundings import Question


class Around(NamedTuple):
    """A question about what lies around a file, by its path."""

    question: Question
    path: str


@dataclass(frozen=True, slots=True)
class Basis:
    """The dependencies of a file's outcome besides its own text: `files`, other files of the run, and `names`.

    Each name comes with whether any other file of the run contains it. `listed` has the files that queries were about,
    each with the query and the file that asked, and `around` the answers to questions about files beside the run.
    `taken` are the files whose functions were judged by the callers in the run alone, as nothing else calls them.
    """

    files: tuple[str, ...] = ()
    names: tuple[tuple[str, bool], ...] = ()
    listed: tuple[tuple[Asked, tuple[str, ...]], ...] = ()
    around: tuple[tuple[Around, bool], ...] = ()
    taken: frozenset[str] = frozenset()
