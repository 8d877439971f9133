"""The same module in other layouts: each function gives a text with the same tree, written as nobody would write it.

`LAYOUTS` change the text, whose lines end in `\\n`; `ENCODINGS` make bytes of it. All are random in where they apply.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import io
import keyword
import re
import tokenize
from collections.abc import Callable, Iterator
from itertools import pairwise, zip_longest
from random import Random

from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import Text

Layout = Callable[[str, Random], str]
Encoding = Callable[[str, Random], bytes]

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Pass, ast.Delete, ast.Raise, ast.Assert)
_NOISE = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}


def tokens_of(text: str) -> list[tokenize.TokenInfo]:
    """The tokens of a text."""
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def _gaps(text: str) -> Iterator[tuple[tokenize.TokenInfo, tokenize.TokenInfo, int, int, int]]:
    """Pairs of tokens that follow each other in a line of a statement, the offsets between them, the open brackets."""
    places, depth, strings = Text(text), 0, 0
    tokens = tokens_of(text)
    for left, right in pairwise(tokens):
        name = tokenize.tok_name[left.type]
        strings += (name in ("FSTRING_START", "TSTRING_START")) - (name in ("FSTRING_END", "TSTRING_END"))
        if left.type == tokenize.OP:
            depth += (left.string in "([{") - (left.string in ")]}")
        if not strings and not _NOISE & {left.type, right.type} and left.end[0] == right.start[0]:
            yield left, right, places.offset_of(left.end[0], left.end[1] + 1), places.offset_of(*_next(right)), depth


def _next(token: tokenize.TokenInfo) -> tuple[int, int]:
    return token.start[0], token.start[1] + 1


def blanks(text: str, random: Random) -> str:
    """Blanks and tabs between tokens."""
    return apply_edits(
        text,
        [
            Edit(start, end, text[start:end] + random.choice([" ", "  ", "\t"]))
            for left, right, start, end, _ in _gaps(text)
            if random.random() < 0.3 and (end > start or right.string in ("(", "[", ".", ",", ")", "]", ":"))
            if left.type != tokenize.NUMBER
        ],
    )


def continued(text: str, random: Random) -> str:
    """Statements that go on behind a backslash."""
    gaps = [(start, end) for _, _, start, end, depth in _gaps(text) if end > start and not depth]
    return apply_edits(text, [Edit(start, end, " \\\n            ") for start, end in gaps if random.random() < 0.25])


def broken(text: str, random: Random) -> str:
    """Line breaks and comments inside brackets."""
    return apply_edits(
        text,
        [
            Edit(start, end, random.choice(["\n", "  # é, (\n  ", "\n\n      # 😀 ' \"\n "]))
            for left, _, start, end, depth in _gaps(text)
            if depth and random.random() < (0.3 if left.string in ("(", "[", "{", ",") else 0.05)
        ],
    )


def commented(text: str, random: Random) -> str:
    """Comments behind and above statements."""
    places = Text(text)
    edits: list[Edit] = []
    fresh = True
    for token in tokens_of(text):
        if _next(token)[0] > len(places.starts):
            break  # behind the end of a text without a last line end
        start = places.offset_of(*_next(token))
        if token.type == tokenize.NEWLINE and token.string and random.random() < 0.3:
            edits.append(Edit(start, start, "  # ümlaut 😀; y += 1 \\" if text[start - 1 : start] != "#" else ""))
        elif fresh and token.type not in _NOISE and random.random() < 0.2:
            line = start - token.start[1]
            edits.append(Edit(line, line, random.choice(["# odd\n", "            # 'odd\n", "\n"])))
        if token.type not in (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT):
            fresh = token.type == tokenize.NEWLINE
    return _applied(text, edits)


def _applied(text: str, edits: list[Edit]) -> str:
    taken: dict[tuple[int, int], Edit] = {(edit.start, edit.end): edit for edit in edits}
    return apply_edits(text, taken.values())


def _bodies(text: str) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    for node in ast.walk(ast.parse(text)):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield node, body


def semicolons(text: str, random: Random) -> str:
    """Several statements in a line, and semicolons behind the last one."""
    places, edits = Text(text), list[Edit]()
    for _, body in _bodies(text):
        for first, second in pairwise(body):
            start, end = places.span(first)[1], places.span(second)[0]
            if isinstance(first, _SIMPLE) and not text[start:end].strip() and random.random() < 0.5:
                if isinstance(second, _SIMPLE):
                    edits.append(Edit(start, end, random.choice(["; ", ";", " ;  "])))
                else:
                    edits.append(Edit(start, start, ";"))
    return apply_edits(text, edits)


def one_line(text: str, random: Random) -> str:
    """Blocks of simple statements behind the colon of their header."""
    places, edits = Text(text), list[Edit]()
    for node, body in _bodies(text):
        starts = [places.span(statement)[0] for statement in body]
        ends = [places.span(statement)[1] for statement in body]
        before = text[: starts[0]].rstrip()
        line_end = re.compile(r"[ \t]*(?=\n|$)").match(text, ends[-1])
        between = (text[end:start].strip() for end, start in zip(ends, starts[1:], strict=False))
        if isinstance(node, ast.Module) or not all(isinstance(statement, _SIMPLE) for statement in body):
            continue
        if not before.endswith(":") or "\n" not in text[len(before) : starts[0]] or any(between) or not line_end:
            continue
        if "#" not in before.rpartition("\n")[2] and random.random() < 0.7:
            edits.append(Edit(len(before), starts[0], " "))
            edits += [Edit(end, start, "; ") for end, start in zip(ends, starts[1:], strict=False)]
    return apply_edits(text, edits)


def parenthesized(text: str, random: Random) -> str:
    """Parentheses around targets and values."""
    places, edits = Text(text), list[Edit]()
    for node in ast.walk(ast.parse(text)):
        wrapped: list[ast.expr] = []
        if isinstance(node, ast.AugAssign | ast.Assign | ast.Return) and node.value is not None:
            wrapped.append(node.value)
        if isinstance(node, ast.AugAssign):
            wrapped.append(node.target)
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name | ast.Call):
            wrapped.append(node.value)
        for expression in wrapped:
            if random.random() < 0.4:
                start, end = places.span(expression)
                edits += [Edit(start, start, "("), Edit(end, end, ")")]
    return _nested(text, edits)


def _nested(text: str, insertions: list[Edit]) -> str:
    """Insert at places of which some are the same: what closes before what opens."""
    at: dict[int, list[str]] = {}
    for edit in insertions:
        at.setdefault(edit.start, []).append(edit.replacement)
    return apply_edits(text, [Edit(place, place, "".join(sorted(what, reverse=True))) for place, what in at.items()])


def fullwidth(text: str, random: Random) -> str:
    """Names that Python takes for others (NFKC)."""
    tree = ast.parse(text)
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    places = Text(text)
    edits: list[Edit] = []
    for token in tokens_of(text):
        letter = token.string[:1]
        is_name = token.type == tokenize.NAME and token.string in stored and not keyword.issoftkeyword(token.string)
        if is_name and letter.isascii() and letter.isalpha() and random.random() < 0.4:
            start = places.offset_of(*_next(token))
            edits.append(Edit(start, start + 1, chr(ord(letter) + 0xFEE0)))
    return apply_edits(text, edits)


def _own_lines(text: str) -> set[int]:
    """The lines in which no string goes on."""
    inside = (number for token in tokens_of(text) for number in range(token.start[0] + 1, token.end[0] + 1))
    strings = set(inside)
    for token in tokens_of(text):
        if tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            strings.add(token.end[0])
    return set(range(1, text.count("\n") + 2)) - strings


def tabs(text: str, _: Random) -> str:
    """Tabs for four blanks."""
    own = _own_lines(text)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if number in own:
            bare = line.lstrip(" ")
            lines[number - 1] = "\t" * ((len(line) - len(bare)) // 4) + " " * ((len(line) - len(bare)) % 4) + bare
    try:
        ast.parse("\n".join(lines))
    except TabError:  # it has another width here and there
        return text
    return "\n".join(lines)


def form_feeds(text: str, random: Random) -> str:
    """Form feeds at the beginning of lines, the first one among them."""
    own, depth, starts = _own_lines(text), 0, set[int]()
    for token in tokens_of(text):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if not depth and token.start[0] in own:
            starts.add(token.start[0])
    lines = text.split("\n")
    continued = {number + 1 for number, line in enumerate(lines, 1) if line.endswith("\\")}
    for number in starts - continued:
        if number <= len(lines) and (number == 1 or random.random() < 0.2):
            lines[number - 1] = "\f" + lines[number - 1]
    return "\n".join(lines)


LAYOUTS: dict[str, Layout] = {
    layout.__name__: layout
    for layout in (
        semicolons,
        one_line,
        parenthesized,
        fullwidth,
        blanks,
        continued,
        broken,
        commented,
        tabs,
        form_feeds,
    )
}
"""In an order in which they can follow each other."""


def rearranged(text: str, random: Random) -> str:
    """Several of the layouts, one upon the other; the tree is the same."""
    tree = ast.dump(ast.parse(text))
    for layout in LAYOUTS.values():
        if random.random() < 0.5:
            text = layout(text, random)
            assert ast.dump(ast.parse(text)) == tree, layout.__name__
    return text


def _plain(text: str, _: Random) -> bytes:
    return text.encode()


def _crlf(text: str, _: Random) -> bytes:
    return text.replace("\n", "\r\n").encode()


def _cr(text: str, _: Random) -> bytes:
    return text.replace("\n", "\r").encode()


def _mixed(text: str, random: Random) -> bytes:
    ends: list[str] = []
    for line in text.split("\n")[:-1]:
        is_joined = not line and ends and ends[-1] == "\r"  # with "\n" they would be one line end
        ends.append(random.choice(["\r\n", "\r"] if is_joined else ["\n", "\r\n", "\r"]))
    return "".join(map("".join, zip_longest(text.split("\n"), ends, fillvalue=""))).encode()


def _unfinished(text: str, _: Random) -> bytes:
    return text.rstrip("\n").encode()


def _marked(text: str, _: Random) -> bytes:
    return codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode()


def _declared(text: str, random: Random) -> bytes:
    name = random.choice(["latin-1", "cp1252", "utf-8"])
    with contextlib.suppress(UnicodeEncodeError):
        return f"# -*- coding: {name} -*-\n# ÿ\n{text}".encode(name)
    return f"# vim: set fileencoding=gb18030 :\n# ÿ\n{text}".encode("gb18030")


ENCODINGS: dict[str, Encoding] = {
    "plain": _plain,
    "CRLF": _crlf,
    "CR": _cr,
    "mixed line ends": _mixed,
    "no final line end": _unfinished,
    "byte order mark": _marked,
    "declared encoding": _declared,
}
