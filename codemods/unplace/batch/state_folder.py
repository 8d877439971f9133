"""The state folder of a run. Who writes which part of it: the run itself `state.sqlite`, workers all the others."""

from __future__ import annotations

from pathlib import Path

WORK = "work"
"""Has a folder for each repository while it is worked on."""

PROGRESS = "progress"
"""The file in that folder that says how many files are done, and of how many."""

PARTS = ("files", "clones", "patches", WORK)


def prepare(folder: Path) -> None:
    """Make the folder; Git is told to leave it alone."""
    for part in PARTS:
        Path(folder, part).mkdir(parents=True, exist_ok=True)
    replace_file(folder / ".gitignore", b"*\n")


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, all of it or nothing."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(data)
    beside.replace(path)
