"""Statements put together in one line, as people do: `a += 1; b = a * 2`, `if flag: y += 1`, `except E: pass`."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

COMPOUND = re.compile(
    r"(if|elif|else|for|while|with|try|except|except\*|finally|def|class|match|case|async)\b|@|#|import\b|from\b|$"
)
ONE_LINE = re.compile(r"(if|elif|else|for|while|with|try|except|finally|case|def|class)\b.*:$")


def squeezed(lines: Sequence[str], rng: random.Random, odds: float) -> list[str]:
    """The lines with some of their neighbours put together, and some bodies behind their headers."""
    joined: list[str] = []
    for line in lines:
        if joined and _may_follow(joined[-1], line) and rng.random() < odds:
            joined[-1] += f"; {line.strip()}"
        else:
            joined.append(line)
    found: list[str] = []
    for number, line in enumerate(joined):
        after = next((other for other in joined[number + 1 :] if other.strip()), "")
        if found and _is_whole_body(found[-1], line, after) and rng.random() < odds:
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
    return found


def indent_of(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())


def is_simple(line: str) -> bool:
    """Whether a line is a statement that others may stand beside."""
    return COMPOUND.match(line.strip()) is None


def _may_follow(first: str, second: str) -> bool:
    return indent_of(first) == indent_of(second) > 0 and is_simple(first) and is_simple(second) and " # " not in first


def _is_whole_body(header: str, line: str, after: str) -> bool:
    inside = indent_of(line) > indent_of(header) and is_simple(line)
    return inside and ONE_LINE.match(header.strip()) is not None and indent_of(after) < indent_of(line)
