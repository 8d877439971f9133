"""Writes styled lines: coloured by rich where colour is wanted, elsewhere plain text without importing rich."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from typing import TextIO

from unplace.text.visible import visible

Span = tuple[str, str]
"""A piece of text and the rich style in which it is shown."""


NARROW, WIDE = 40, 200
"""The widths between which reports follow the terminal."""


def wants_colour(stream: TextIO) -> bool:
    """Tell whether to colour a stream: terminals only, unless NO_COLOR or FORCE_COLOR says otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width_of(stream: TextIO) -> int | None:
    """Return the columns to fit a report to: those of the terminal, or COLUMNS there; None for files and pipes."""
    if not stream.isatty():
        return None
    return min(max(shutil.get_terminal_size().columns, NARROW), WIDE)


def write_lines(stream: TextIO, lines: Iterable[Sequence[Span]]) -> None:
    """Write lines, coloured where colour is wanted, with their control characters made visible."""
    if not wants_colour(stream):
        stream.writelines("".join(visible(text) for text, _ in line) + "\n" for line in lines)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((visible(text), style) for text, style in line)))
