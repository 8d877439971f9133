"""Works out one file of a run as the run would, for commands about a single place: other files stay as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from unplace import documents
from unplace.analysis.project.files import Project
from unplace.config.nearest import Excluded
from unplace.files.discovery import discover, shown
from unplace.runs.across import OptionsOf, across
from unplace.runs.outcome import Outcome, rewrite_bytes


def project_around(path: str, exclude: Excluded, data: bytes | None = None) -> Project | None:
    """Return the files that a run on the working folder is about; None where a file (absolute) isn't one of them.

    `data` are the file's bytes where they aren't those on the disk.
    """
    if Path.cwd() not in Path(path).parents:
        return None
    files = discover([Path.cwd()], exclude, documents.suffixes(markdown=False)).files
    if path not in files or len(files) < 2:
        return None
    return Project(files, {path: data} if data is not None else None)


def outcome_among(path: str, project: Project, options: OptionsOf) -> Outcome:
    """Return the outcome of a file (an absolute path) in a run on all files of a project."""
    others = [Outcome(shown(each)) for each in sorted(project.files.paths) if each != path]
    own = rewrite_bytes(Path(path).read_bytes(), shown(path), replace(options(path), spans_later=True), project)
    return across([own, *others], options)[0]
