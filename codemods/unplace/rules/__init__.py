"""The rules: one module each, named after its code and found by itself.

A rule module has `CODE`, the `FORMS` it handles, a docstring that is its documentation, and a `RULE` object.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

_NAME = re.compile(r"(unp\d{3})_\w+\.py$")


@cache
def codes() -> tuple[str, ...]:
    """The codes of all rules, sorted, without importing them."""
    return tuple(sorted(name.upper() for name in _modules()))


@cache
def _modules() -> dict[str, str]:
    names = [path.name for path in Path(__file__).parent.iterdir()]
    return {match.group(1): name[:-3] for name in names if (match := _NAME.match(name))}


def module_name(code: str) -> str:
    """The module in which a rule stands."""
    return f"{__name__}.{_modules()[code.lower()]}"


def documentation(code: str) -> str:
    """A rule's documentation: the docstring of its module, which isn't imported for it."""
    source = Path(__file__).with_name(f"{_modules()[code.lower()]}.py").read_text("utf-8")
    return ast.get_docstring(ast.parse(source)) or ""
