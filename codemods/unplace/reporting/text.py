"""Texts that others wrote, made fit to be looked at: nothing in them acts, hides or changes the order of letters."""

from __future__ import annotations

import re
import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def visible(text: str) -> str:
    """Control and format characters as `[U+202E]`, lone surrogates too; tabs and line ends stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n")))


def _visible(letter: str) -> str:
    if letter in "\t\n" or unicodedata.category(letter) not in _HIDDEN:
        return letter
    return f"[U+{ord(letter):04X}]"


def terminal_output(text: str) -> str:
    """What a command printed, without colours and cursor movements; each state of a progress bar is a line."""
    return re.sub(r"\r\n?", "\n", _TERMINAL.sub("", text))
