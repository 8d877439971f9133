"""What a run is about, as people write it: `UNP001,UNP003`, a prefix of codes, `harmful,unknown`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from unplace.diagnostics.findings import Harm
from unplace.torchapi.releases import Release, known, release


class SelectionError(ValueError):
    """Why a selection can't be understood, in a sentence; `option` is the one of the command line that says it."""

    option: str | None = None


def listed(argument: str, values: Iterable[str], example: str) -> list[str]:
    """The texts that an argument of a function lists; raises `TypeError` for anything else, such as a single text."""
    texts = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise TypeError(f'{argument} must be a list of texts, such as ["{example}"], not {values!r}')
    return texts


def parse_codes(values: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The known rule codes that are named, each by itself or by a prefix of it."""
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
    """The kinds of harm that are named."""
    known = [harm.value for harm in Harm]
    chosen: set[Harm] = set()
    for word in _words(values, "harm", known):
        word = word.lower()
        if word not in known:
            raise SelectionError(f"no harm {word}.{guess(word, known)} Known: {', '.join(known)}.")
        chosen.add(Harm(word))
    return frozenset(chosen)


def parse_release(version: str) -> Release:
    """The release of torch that is named."""
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
    """That there is no such rule, and which ones there are."""
    known = tuple(known)
    return f"no rule {code}.{guess(code, known)} Known: {', '.join(known)}."


def guess(word: str, known: Iterable[str]) -> str:
    """` Did you mean ...?`, where one of the known words is close."""
    close = get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _words(values: Iterable[str], noun: str, known: Iterable[str]) -> list[str]:
    values = tuple(values)
    words = [word for value in values for part in value.split(",") if (word := part.strip())]
    if values and not words:
        raise SelectionError(f"no {noun} given. Known: {', '.join(known)}.")
    return words
