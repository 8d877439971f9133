"""Reads the file of commands about a single file, or ends them with an error that names the place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unplace import documents
from unplace.cli.options import fail
from unplace.diagnostics.findings import Problem
from unplace.runs.limits import limited
from unplace.runs.outcome import reject_invalid
from unplace.text.source import Source, SourceError


def read_file(path: str, name: str, *, markdown: bool = False) -> Source:
    """Return the source of a file; end the command where the file can't be read or handled."""
    try:
        return checked(name, lambda: Path(path).read_bytes(), markdown=markdown)
    except OSError as error:
        fail(f"{name}: cannot read: {error.strerror or error}; check the path")


def checked(name: str, read: Callable[[], bytes], *, markdown: bool = False) -> Source:
    """Return the source in the bytes that `read` returns; end the command where they can't be parsed."""
    try:
        source = documents.read(read(), name, markdown=markdown)
        with limited():
            if documents.is_python(name, markdown=markdown):
                reject_invalid(source.text, name)
            else:
                documents.modules_of(source.text, name, markdown=markdown)
    except SourceError as error:
        fail(str(Problem(name, error.message, error.line, error.column)))
    return source
