"""The cell magic `%%diagnose`, and `%%diagnose --silent`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unplace.diagnosis import Diagnosed


def magic(shell: Any) -> Callable[[str, str], None]:
    """Return the magic for an IPython shell: it runs a cell, whose error is shown as always, with the diagnosis."""

    def diagnose(line: str, cell: str) -> None:
        options = line.split()
        if options not in ([], ["--silent"]):
            raise ValueError(f"%%diagnose takes --silent and nothing else, not {line.strip()!r}")
        with Diagnosed(silent=bool(options)):
            shell.run_cell(cell)

    return diagnose
