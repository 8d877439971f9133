"""What the commands about one file share: its text, or an error that names the place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unplace.cli.options import fail
from unplace.findings import Problem
from unplace.limits import limited
from unplace.outcome import reject_invalid
from unplace.source import Source, SourceError, read_source


def read_file(path: str, name: str) -> Source:
    """The source of a file, which Python can parse; else the command ends."""
    try:
        return parsable(name, lambda: read_source(Path(path).read_bytes()))
    except OSError as error:
        fail(f"{name}: cannot read: {error.strerror or error}; check the path")


def parsable(name: str, read: Callable[[], Source]) -> Source:
    """The source that `read` gives, which Python can parse; else the command ends."""
    try:
        source = read()
        with limited():
            reject_invalid(source.text)
    except SourceError as error:
        fail(str(Problem(name, error.message, error.line, error.column)))
    return source
