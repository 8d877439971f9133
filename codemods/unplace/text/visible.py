"""Text that comes from files, fit for a terminal: names and code may hold sequences that drive it."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters but the tab, line ends, and what turns the direction of writing round."""


def visible(text: str) -> str:
    """One line with its control characters as Python writes them in a string: `\\x1b`, `\\n`."""
    return text if text.isprintable() else _CONTROL.sub(lambda match: repr(match.group())[1:-1], text)


def visible_lines(text: str) -> str:
    """The same for text whose lines are its own."""
    return "\n".join(map(visible, text.split("\n")))
