"""The layout of a run's state folder. The run itself writes `state.sqlite`, its workers write everything else."""

from __future__ import annotations

from pathlib import Path

WORK = "work"
"""The folder that has a folder for each repository while it is worked on."""

PROGRESS = "progress"
"""The file in a repository's work folder that tells how far the work is."""

PARTS = ("files", "clones", "patches", WORK)


def prepare(folder: Path) -> None:
    """Create the folder with its parts, and a `.gitignore` that keeps it out of Git."""
    for part in PARTS:
        Path(folder, part).mkdir(parents=True, exist_ok=True)
    replace_file(folder / ".gitignore", b"*\n")


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(data)
    beside.replace(path)
