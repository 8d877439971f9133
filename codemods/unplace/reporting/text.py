"""Makes text from outside safe to show: nothing in it controls the terminal, hides, or reorders letters."""

from __future__ import annotations

import re
import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def visible(text: str) -> str:
    """Replace control and format characters and lone surrogates: `[U+202E]`; tabs and line ends stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n")))


def _visible(letter: str) -> str:
    if letter in "\t\n" or unicodedata.category(letter) not in _HIDDEN:
        return letter
    return f"[U+{ord(letter):04X}]"


def terminal_output(text: str) -> str:
    """Return a command's output without colours and cursor movements; each state of a progress bar becomes a line."""
    return re.sub(r"\r\n?", "\n", _TERMINAL.sub("", text))
