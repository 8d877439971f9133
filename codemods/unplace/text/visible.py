"""Makes text from files safe for a terminal: names and code may hold escape sequences that control it."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters but the tab, line ends, and characters that change the direction of writing."""


def visible(text: str) -> str:
    """Return a line with its control characters as escapes of a Python string: `\\x1b`, `\\n`."""
    return text if text.isprintable() else _CONTROL.sub(lambda match: repr(match.group())[1:-1], text)


def visible_lines(text: str) -> str:
    """Return several lines with their control characters as such escapes; line ends stay."""
    return "\n".join(map(visible, text.split("\n")))
