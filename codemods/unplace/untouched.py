"""That a change is the edits' alone: outside them, the new text has the tokens of the old one."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from unplace.edits import Edit
from unplace.positions import Text, with_plain_line_ends

_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


class TouchedError(Exception):
    """The edits would change what lies outside them."""


def check(before: str, after: str, edits: Iterable[Edit]) -> None:
    """Raise `TouchedError` where a token outside the edits, which make `after` of `before`, is not what it was."""
    old: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    growth = 0
    for edit in sorted(edits):
        old.append((edit.start, edit.end))
        new.append((edit.start + growth, edit.start + growth + len(edit.replacement)))
        growth += len(edit.replacement) - (edit.end - edit.start)
    for was, now in zip_longest(_outside(before, old), _outside(after, new)):
        if was is None or now is None or was[:2] != now[:2]:
            line = (now or was or ("", "", 0))[2]
            raise TouchedError(f"the edits change the code around them (line {line} of the result)")


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str, int]]:
    """The tokens outside the spans, with their types and lines."""
    places = Text(text)
    following = iter([*spans, (len(text) + 1, len(text) + 1)])
    start, end = next(following)
    for token in tokenize.generate_tokens(io.StringIO(with_plain_line_ends(text)).readline):
        if token.type in _LAYOUT:
            continue
        first = places.offset_of(token.start[0], token.start[1] + 1)
        last = places.offset_of(token.end[0], token.end[1] + 1)
        while end <= first:
            start, end = next(following)
        if last <= start:
            yield token.type, "" if token.type == tokenize.NEWLINE else token.string, token.start[0]
