"""Turns a notebook cell into plain Python: syntax that only IPython understands becomes comments.

    %timeit f(x)          pass  # \x1f%timeit f(x)
    files = !ls           files = ...  # \x1f!ls

The character \x1f marks lines that may do anything with what they name (`order` reads it). Lines that do nothing to the
notebook's objects, such as `!pip install`, get no mark. The number of lines stays, and so do all lines of Python.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass

from unplace.text.positions import Text

MARK = "\x1f"
"""The character that marks code that isn't analysed."""

_UNFIT = re.compile(r"[\0\ud800-\udfff]")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_ESCAPED = re.compile(r"(?P<indent>[ \t]*)(?:[%!?]|(?P<target>[\w., \t\[\]]+?[ \t]*=)[ \t]*[%!]|[^#'\"]*\?\s*$)")
_INERT = re.compile(
    r"\s*(?:!|\?|%(?:alias|autoreload|automagic|cd|colors|conda|config|dirs|doctest_mode|env|history|load_ext|logstart"
    r"|ls|mamba|matplotlib|micromamba|mkdir|notebook|page|pip|precision|pwd|quickref|reload_ext|set_env|sx|system"
    r"|unload_ext|uv|who|who_ls|whos|xmode)\b|[^=]*\?\s*$)"
)
_PYTHON = frozenset({"capture", "debug", "diagnose", "ipytest", "prun", "time"})
"""Cell magics whose cell is Python that runs in the notebook's namespace."""

_FOREIGN = frozenset(
    {
        "!", "bash", "cmd", "file", "html", "HTML", "javascript", "js", "latex", "markdown", "perl", "pypy", "python",
        "python2", "python3", "ruby", "script", "sh", "svg", "SVG", "sx", "system", "writefile",
    }
)  # fmt: skip
"""Cell magics whose cell is code for another program."""


@dataclass(frozen=True, slots=True)
class Python:
    """A cell as Python: its text, a flag for each line that is unchanged, and the error if it can't be parsed."""

    text: str
    is_own: tuple[bool, ...]
    error: SyntaxError | None = None


def as_python(source: str) -> Python:
    """Return a cell as Python."""
    lines = _LINES.findall(source)
    first = next((line for line in lines if line.strip()), "")
    magic = _CELL_MAGIC.match(first)
    if magic is not None and magic[1] not in _PYTHON:
        return _commented(lines, "" if magic[1] in _FOREIGN else MARK)
    own = [True] * len(lines)
    if magic is not None:
        index = lines.index(first)
        lines[index], own[index] = _escaped(first, MARK), False
    if magic is not None or _error("".join(lines)) is not None:
        _escape(lines, own)
    error = _error("".join(lines))
    return Python("".join(lines), tuple(own)) if error is None else left_alone(source, error)


def left_alone(source: str, error: SyntaxError) -> Python:
    """Return a cell that can't be parsed as comments, with the error; only the names in it are known."""
    commented = _commented(_LINES.findall(source), MARK)
    return Python(commented.text, commented.is_own, error)


def _escape(lines: list[str], own: list[bool]) -> None:
    """Replace IPython's own lines, and the lines that continue them after a backslash, by Python."""
    index = 0
    while index < len(lines):
        line = lines[index]
        match = _ESCAPED.match(line)
        index += 1
        if match is None or not _is_complete("".join(lines[: index - 1])):
            continue
        last = index - 1
        while lines[last].rstrip("\r\n").endswith("\\") and last + 1 < len(lines):
            last += 1
        whole = "".join(lines[index - 1 : last + 1])
        mark = "" if _INERT.match(whole) else MARK
        lines[index - 1], own[index - 1] = _escaped(line, mark, match["indent"], match["target"]), False
        for later in range(index, last + 1):
            lines[later], own[later] = _comment(lines[later], mark), False
        index = last + 1


def _escaped(line: str, mark: str, indent: str = "", target: str | None = None) -> str:
    statement = f"{indent}pass" if target is None else f"{indent}{target.strip()} ..."
    return f"{statement}  {_comment(line, MARK if target is not None else mark)}"


def _comment(line: str, mark: str) -> str:
    content = line.rstrip("\r\n")
    return f"# {mark}{_UNFIT.sub('?', content.strip())}{line[len(content) :]}"


def _commented(lines: list[str], mark: str) -> Python:
    """Return a cell as comments behind a single `pass` that stands for it."""
    text = "".join(_comment(line, mark) for line in lines)
    return Python(f"pass  {text}" if lines else "", (False,) * len(lines))


def _error(text: str) -> SyntaxError | None:
    """Return the error that keeps Python from parsing a text, or None; unfit characters get one of our own."""
    unfit = _UNFIT.search(text)
    if unfit is not None:
        line, column = Text(text).place(unfit.start())
        return SyntaxError(f"source code can't contain {unfit[0]!r}", ("", line, column, None))
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error
    return None


def _is_complete(text: str) -> bool:
    """Tell whether a new statement can begin after the text: no bracket, string or backslash is open."""
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            pass
    except (tokenize.TokenError, SyntaxError):
        return False
    return not text.rstrip("\r\n").endswith("\\")
