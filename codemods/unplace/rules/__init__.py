"""The rules: one module each, named after its code and discovered by name.

A rule module has the `FORMS` it handles, a docstring that is its documentation, and a `RULE` object with its code.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

_NAME = re.compile(r"(unp\d{3})_\w+\.py$")


@cache
def codes() -> tuple[str, ...]:
    """Return the codes of all rules, sorted, without importing the rules."""
    return tuple(sorted(name.upper() for name in _modules()))


@cache
def _modules() -> dict[str, str]:
    names = [path.name for path in Path(__file__).parent.iterdir()]
    return {match.group(1): name[:-3] for name in names if (match := _NAME.match(name))}


def module_name(code: str) -> str:
    """Return the name of the module that defines a rule."""
    return f"{__name__}.{_modules()[code.lower()]}"


def documentation(code: str) -> str:
    """Return a rule's documentation: the docstring of its module, which isn't imported."""
    source = Path(__file__).with_name(f"{_modules()[code.lower()]}.py").read_text("utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def address(code: str) -> str | None:
    """Return the address of a rule's page; None where the installed package names no site (`Documentation`)."""
    site = _site()
    return f"{site.rstrip('/')}/rules/{code}/" if site is not None else None


@cache
def _site() -> str | None:
    from importlib import metadata  # takes a while, and few runs need it

    try:
        named = metadata.metadata("unplace").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # a checkout that isn't installed
        return None
    addresses = dict(each.split(", ", 1) for each in named)
    return addresses.get("Documentation")
