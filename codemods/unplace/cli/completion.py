"""What the shell completes behind an option: the words that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Completion = Callable[[str], list[str]]
"""From what is written so far to what it may become."""


def one_of(words: Iterable[str]) -> Completion:
    """One of the words."""
    known = tuple(words)

    def completed(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return completed


def several_of(words: Iterable[str]) -> Completion:
    """Some of the words, with commas between them."""
    complete = one_of(words)

    def completed(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{word}" for word in complete(last)]

    return completed
