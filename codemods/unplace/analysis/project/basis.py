"""What the outcome of a file depends on: its result may be kept as long as that is as it was."""

from __future__ import annotations

from dataclasses import dataclass

from unplace.analysis.project.mentions import Asked


@dataclass(frozen=True, slots=True)
class Basis:
    """The dependencies of a file's outcome besides its own text: `files`, other files of the run, and `names`.

    Each name comes with whether any other file of the run contains it. `listed` has the files that queries were about,
    each with the query and the file that asked.
    """

    files: tuple[str, ...] = ()
    names: tuple[tuple[str, bool], ...] = ()
    listed: tuple[tuple[Asked, tuple[str, ...]], ...] = ()
