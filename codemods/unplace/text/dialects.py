"""Guesses the Python version that a file is written for where the running Python can't parse it."""

from __future__ import annotations

import re
import sys

_ANY = r""
_NAME = r"[A-Za-z_][\w.]*"

_NEWER: tuple[tuple[tuple[int, int], str, str], ...] = (
    ((3, 11), _ANY, r"\s*except\s*\*"),
    ((3, 11), _ANY, r".*(?:\w\[(?:[^\[\]]*,)?\s*\*\w|\*\w+\s*:\s*\*)"),
    ((3, 12), r"f-string", _ANY),
    ((3, 12), _ANY, rf"\s*type\s+{_NAME}\s*(?:\[.*\]\s*)?="),
    ((3, 12), _ANY, rf"\s*(?:class|(?:async\s+)?def)\s+{_NAME}\s*\[[^=]*$"),
    ((3, 13), _ANY, rf"\s*(?:class|(?:async\s+)?def|type)\s+{_NAME}\s*\[[^\]]*="),
    ((3, 14), r"multiple exception types", rf"\s*except\s+{_NAME}\s*,\s*(?:[A-Z_]|[\w.]+\s*,)"),
    ((3, 14), _ANY, r"""(?i:.*\b(?:t|tr|rt)['"])"""),
)
"""For each version: patterns of the error that an older Python reports for its new syntax, and of the line."""

_PYTHON_2 = (
    (r"Missing parentheses in call to|inconsistent use of tabs|leading zeros in decimal", _ANY),
    (r"multiple exception types", rf"\s*except\s+{_NAME}\s*,\s*[a-z]\w*\s*:"),
    (_ANY, rf"""\s*(?:print|exec)\s+["'%\w]|\s*raise\s+{_NAME}\s*,|.*(?:<>|\b\d+L\b|\bur["'])"""),
)


def version_for(error: SyntaxError) -> str | None:
    """Return the version of Python that the file seems to be written for; None where the error suggests no other."""
    message, line = error.msg, error.text or ""
    for version, says, looks in _NEWER:
        if sys.version_info < version and re.match(says, message) and re.match(looks, line):
            return f"{version[0]}.{version[1]} or newer"
    if any(re.match(says, message) and re.match(looks, line) for says, looks in _PYTHON_2):
        return "2"
    return None
