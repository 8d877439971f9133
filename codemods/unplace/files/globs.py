"""Turns lines of `.gitignore` files into patterns, and recognises the lines that are none."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.pattern import Pattern


def compiled(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """Return the patterns of the lines, in their order, without those that match nothing in Git."""
    return tuple(pattern for line in lines for pattern in _patterns(line))


def is_valid(line: str) -> bool:
    """Tell whether a line is a pattern, a comment or empty."""
    return not line.strip() or line.startswith("#") or bool(_patterns(line))


def spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return the specification that valid lines make together."""
    from pathspec import GitIgnoreSpec  # only now: many runs meet no pattern, and the import is not free

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of `re`, about what may once mean a set of characters
        return GitIgnoreSpec.from_lines(lines)


def _patterns(line: str) -> tuple[Pattern, ...]:
    try:
        return tuple(pattern for pattern in spec([line]).patterns if pattern.include is not None)
    except (ValueError, re.error):  # a lone `!` or backslash, a range that runs backwards
        return ()
