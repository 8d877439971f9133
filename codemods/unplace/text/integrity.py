"""Checks that a change consists of the edits alone: outside them, the new text has the tokens of the old one."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from unplace.text import positions
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.text.trees import Group, grouped, groups

_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


class TouchedError(Exception):
    """Raised where the edits would change code outside them."""


def check(before: str, after: str, edits: Iterable[Edit]) -> None:
    """Raise `TouchedError` where a token outside the edits that turn `before` into `after` has changed.

    Raises `SyntaxError` where `after` can't be parsed. Only edited statements are compared: the others begin and end at
    the same places, and so have the same tokens. The same holds for the code around a block's edited statements.
    """
    ordered = sorted(edits)
    whole = _Part(_Span(0, len(before)), _Span(0, len(after)), ordered)
    failure: SyntaxError | None = None
    try:
        parts = _parts(whole, groups(before), groups(after))
    except SyntaxError as error:
        parts, failure = [], error
    texts = (Text(before), Text(after))
    for part in [inner for outer in parts for inner in _narrowed(outer, *texts)] or [whole]:
        _compare(part, before, after)
    if failure is not None:
        raise failure


@dataclass(frozen=True, slots=True)
class _Span:
    """A range of whole lines of a text, which holds complete statements of one block."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class _Part:
    """Code before and after its edits, with the statements that make it up where these are known."""

    old: _Span
    new: _Span
    edits: list[Edit]
    was: tuple[ast.stmt, ...] = ()
    now: tuple[ast.stmt, ...] = ()


def _compare(part: _Part, before: str, after: str) -> None:
    """Raise `TouchedError` where the code of a part has other tokens outside its edits than before."""
    was_at: list[tuple[int, int]] = []
    is_at: list[tuple[int, int]] = []
    old, new = part.old, part.new
    growth = new.start - old.start
    for edit in part.edits:
        was_at.append((edit.start - old.start, edit.end - old.start))
        start = edit.start + growth - new.start
        is_at.append((start, start + len(edit.replacement)))
        growth += _growth(edit)
    for was, now in zip_longest(_outside(old.of(before), was_at), _outside(new.of(after), is_at)):
        if was is None or now is None or was[:2] != now[:2]:
            line = after.count("\n", 0, new.start) + (now or was or ("", "", 0))[2]
            raise TouchedError(f"the edits change the code around them (line {line} of the result)")


def _growth(edit: Edit) -> int:
    return len(edit.replacement) - (edit.end - edit.start)


def _parts(around: _Part, was: Sequence[Group], now: Sequence[Group]) -> list[_Part]:
    """Return the edited ones among the statements of a part before and after, each with its edits.

    Empty where an edit stands between statements, or where one of them doesn't begin and end where it should.
    """
    parts: list[_Part] = []
    starts = {group.start: index for index, group in enumerate(now)}
    ends = {group.end: index for index, group in enumerate(now, 1)}
    growth, position, edits = around.new.start - around.old.start, 0, around.edits
    for old in was:
        own: list[Edit] = []
        while position < len(edits) and edits[position].start <= old.end and edits[position].end >= old.start:
            own.append(edits[position])
            position += 1
        new = _Span(old.start + growth, old.end + growth + sum(map(_growth, own)))
        growth = new.end - old.end
        if new.start not in starts or new.end not in ends:
            return []
        if own:
            made = [statement for group in now[starts[new.start] : ends[new.end]] for statement in group.statements]
            parts.append(_Part(_Span(old.start, old.end), new, own, old.statements, tuple(made)))
    return parts if position == len(edits) else []


def _narrowed(part: _Part, before: Text, after: Text) -> list[_Part]:
    """Return the edited statements in the blocks of a compound statement, if its edits are all in there."""
    if len(part.was) != 1 or len(part.now) != 1:
        return [part]
    inner = _parts(part, _in_blocks(part.was[0], before), _in_blocks(part.now[0], after))
    return [narrow for each in inner for narrow in _narrowed(each, before, after)] or [part]


def _in_blocks(statement: ast.stmt, text: Text) -> list[Group]:
    """Return the statements in the blocks of a compound statement, without those further inside.

    Empty where one of them stands in the line of its header: `if x: y += 1`.
    """
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            found += child.body
    inner = grouped(found, text)
    firsts = [group.statements[0] for group in inner]
    begin_lines = all(text.indentation(text.offset(s.lineno, s.col_offset)) is not None for s in firsts)
    return inner if begin_lines else []


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
