"""Styled lines: coloured by rich where that is wanted, and plain text (without importing rich) elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from unplace.text.visible import visible

Span = tuple[str, str]
"""Text and the rich style that it is shown in."""


def wants_colour(stream: TextIO) -> bool:
    """Whether to colour what goes to a stream: terminals only, unless NO_COLOR or FORCE_COLOR says otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write_lines(stream: TextIO, lines: Iterable[Sequence[Span]]) -> None:
    """Write lines, coloured where that is wanted, with their control characters made visible."""
    if not wants_colour(stream):
        stream.writelines("".join(visible(text) for text, _ in line) + "\n" for line in lines)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((visible(text), style) for text, style in line)))
