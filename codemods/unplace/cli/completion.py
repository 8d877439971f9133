"""Completes the values of options in the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Completion = Callable[[str], list[str]]
"""A function that maps the text typed so far to its possible completions."""


def one_of(words: Iterable[str]) -> Completion:
    """Return a completion to one of the words."""
    known = tuple(words)

    def completed(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return completed


def several_of(words: Iterable[str]) -> Completion:
    """Return a completion to several of the words, with commas between them."""
    complete = one_of(words)

    def completed(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{word}" for word in complete(last)]

    return completed
