"""Reads selections as people write them: `UNP001,UNP003`, a prefix of codes, `harmful,possible`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from unplace.diagnostics.findings import Harm
from unplace.torchapi.releases import Release, known, release


class SelectionError(ValueError):
    """Raised for an invalid selection, with a sentence that says why; `option` is the command-line option with it."""

    option: str | None = None


def listed(argument: str, values: Iterable[str], example: str) -> list[str]:
    """Return the strings in an argument of a function; raise `TypeError` for anything but a list of them."""
    texts = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise TypeError(f'{argument} must be a list of texts, such as ["{example}"], not {values!r}')
    return texts


def parse_codes(values: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Return the known rule codes that are named, each by itself or by a prefix of it."""
    known = tuple(known)
    chosen: set[str] = set()
    for prefix in _words(values, "code", known):
        prefix = prefix.upper()
        codes = [code for code in known if code.startswith(prefix)]
        if not codes:
            raise SelectionError(no_rule(prefix, known))
        chosen.update(codes)
    return frozenset(chosen)


def parse_harms(values: Iterable[str]) -> frozenset[Harm]:
    """Return the kinds of harm that are named."""
    known = [harm.value for harm in Harm]
    chosen: set[Harm] = set()
    for word in _words(values, "harm", known):
        word = word.lower()
        if word not in known:
            raise SelectionError(f"unknown harm {word}.{guess(word, known)} Known: {', '.join(known)}.")
        chosen.add(Harm(word))
    return frozenset(chosen)


def parse_release(version: str) -> Release:
    """Return the release of torch that is named."""
    named = release(version.strip())
    if named is None:
        raise SelectionError(f"`{version}` is no version of torch; write it as `2.1`.")
    releases = known()
    if named not in releases:
        before = [each for each in releases if each < named]
        hint = f" Did you mean {before[-1]}?" if before else ""
        if named > releases[-1]:
            hint = " Leave it out: rewrites use nothing newer."
        raise SelectionError(f"no torch {named}.{hint} Known: {releases[0]} to {releases[-1]}.")
    return named


def no_rule(code: str, known: Iterable[str]) -> str:
    """Return a sentence that says that there is no such rule, and which rules there are."""
    known = tuple(known)
    return f"unknown rule {code}.{guess(code, known)} Known: {', '.join(known)}."


def guess(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean ...?` where one of the known words is close, else an empty string."""
    close = get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _words(values: Iterable[str], noun: str, known: Iterable[str]) -> list[str]:
    values = tuple(values)
    words = [word for value in values for part in value.split(",") if (word := part.strip())]
    if values and not words:
        raise SelectionError(f"no {noun} given. Known: {', '.join(known)}.")
    return words
