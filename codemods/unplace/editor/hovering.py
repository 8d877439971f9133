"""Shows explanations in Markdown: what is said as text, the edit as code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from unplace.reporting.explained import CODE_STYLE, Row

_SPECIAL = re.compile(r"([\\*_{}\[\]<>#|~&])")
_BREAK = "  \n"


def markdown(rows: Iterable[Row]) -> str:
    """Return the rows of explanations as Markdown: titles are bold, and patches stand in a block of code."""
    blocks = []
    for is_patch, group in groupby(rows, lambda row: row.is_patch):
        if is_patch:
            text = "\n".join(row.text for row in group).rstrip()
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            blocks.append(f"{fence}diff\n{text}\n{fence}")
        else:
            blocks.append(_BREAK.join(filter(None, map(_said, group))))
    return "\n\n".join(filter(None, blocks))


def _said(row: Row) -> str:
    title = row.spans[0][0] if row.spans else ""
    if row.is_head:
        _, code, *more = (text for text, _ in row.spans)
        return f"{_code(code)}{_escaped(''.join(more))}"
    told = "".join(_code(text) if style == CODE_STYLE else _escaped(text) for text, style in row.spans[1:])
    return " ".join(filter(None, (f"**{title.strip()}**" if title.strip() else "", told)))


def _code(text: str) -> str:
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks}{text}{ticks}" if len(ticks) == 1 else f"{ticks} {text} {ticks}"


def _escaped(text: str) -> str:
    """Return a text whose parts between backticks alone are Markdown."""
    return "".join(
        part if index % 2 else _SPECIAL.sub(r"\\\1", part) for index, part in enumerate(re.split("(`[^`]+`)", text))
    )
