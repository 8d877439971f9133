"""Checks that a change consists of the edits alone: outside them, the new text has the tokens of the old one."""

from __future__ import annotations

import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from unplace.text import positions
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.text.trees import groups

_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


class TouchedError(Exception):
    """Raised where the edits would change code outside them."""


def check(before: str, after: str, edits: Iterable[Edit]) -> None:
    """Raise `TouchedError` where a token outside the edits that turn `before` into `after` has changed.

    Raises `SyntaxError` where `after` can't be parsed. Only edited statements of the module are compared: the others
    begin and end at the same places, and so have the same tokens.
    """
    ordered = sorted(edits)
    whole = (_Span(0, len(before)), _Span(0, len(after)), ordered)
    failure: SyntaxError | None = None
    try:
        parts = _parts(before, after, ordered) or [whole]
    except SyntaxError as error:
        parts, failure = [whole], error
    for old, new, own in parts:
        was_at: list[tuple[int, int]] = []
        is_at: list[tuple[int, int]] = []
        growth = new.start - old.start
        for edit in own:
            was_at.append((edit.start - old.start, edit.end - old.start))
            start = edit.start + growth - new.start
            is_at.append((start, start + len(edit.replacement)))
            growth += _growth(edit)
        pairs = zip_longest(_outside(old.of(before), was_at), _outside(new.of(after), is_at))
        for was, now in pairs:
            if was is None or now is None or was[:2] != now[:2]:
                line = after.count("\n", 0, new.start) + (now or was or ("", "", 0))[2]
                raise TouchedError(f"the edits change the code around them (line {line} of the result)")
    if failure is not None:
        raise failure


@dataclass(frozen=True, slots=True)
class _Span:
    """A range of whole lines of a text, which holds complete statements of the module."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


def _growth(edit: Edit) -> int:
    return len(edit.replacement) - (edit.end - edit.start)


def _parts(before: str, after: str, edits: Sequence[Edit]) -> list[tuple[_Span, _Span, list[Edit]]]:
    """Return the edited statements of the module before and after, each with its edits.

    Empty where an edit stands between statements, or where one of them doesn't begin and end where it should.
    """
    parts: list[tuple[_Span, _Span, list[Edit]]] = []
    made = _statements(after)
    starts, ends = {span.start for span in made}, {span.end for span in made}
    growth, position = 0, 0
    for old in _statements(before):
        own: list[Edit] = []
        while position < len(edits) and edits[position].start <= old.end and edits[position].end >= old.start:
            own.append(edits[position])
            position += 1
        new = _Span(old.start + growth, old.end + growth + sum(map(_growth, own)))
        growth = new.end - old.end
        if new.start not in starts or new.end not in ends:
            return []
        if own:
            parts.append((old, new, own))
    return parts if position == len(edits) else []


def _statements(text: str) -> list[_Span]:
    """Return the spans of a module's statements; statements that share a line share a span."""
    return [_Span(group.start, group.end) for group in groups(text)]


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str, int]]:
    """Yield the tokens outside the spans, with their types and lines."""
    places = Text(text)
    following = iter([*spans, (len(text) + 1, len(text) + 1)])
    start, end = next(following)
    for token in positions.tokens(text):
        if token.type in _LAYOUT:
            continue
        first = places.offset_of(token.start[0], token.start[1] + 1)
        last = places.offset_of(token.end[0], token.end[1] + 1)
        while end <= first:
            start, end = next(following)
        if last <= start:
            yield token.type, "" if token.type == tokenize.NEWLINE else token.string, token.start[0]
