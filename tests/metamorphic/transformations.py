"""All transformations by name."""

from __future__ import annotations

import ast
from collections.abc import Callable

from metamorphic import files, layers, methods, nesting, renaming, typeless
from metamorphic.sources import Sources

ONE_FILE: dict[str, Callable[[ast.Module], bool]] = {
    "stripped": typeless.stripped,
    "renamed": renaming.renamed,
    "methods": methods.as_methods,
    "static methods": methods.as_static_methods,
    "nested functions": nesting.nested,
    "in a module": nesting.as_modules,
    "layers in a list": layers.in_list,
    "layers in a dict": layers.in_dict,
}
"""Each changes a tree and tells whether there was anything to change."""

TWO_FILES: dict[str, Callable[[ast.Module], ast.Module | None]] = {
    "helpers apart": files.helpers_apart,
    "callers apart": files.callers_apart,
}
"""Each changes a tree and returns that of a second file."""

SCATTERED = "scattered"
TRANSFORMATIONS = (*ONE_FILE, *TWO_FILES, SCATTERED)


def transformed(text: str, name: str) -> Sources | None:
    """A program after a transformation, None where that has nothing to change."""
    tree = ast.parse(text)
    if name == SCATTERED:
        return _scattered(tree)
    if name in TWO_FILES:
        tools = TWO_FILES[name](tree)
        return None if tools is None else Sources(_text(tree), _text(tools))
    return Sources(_text(tree)) if ONE_FILE[name](tree) else None


def plain(text: str) -> Sources:
    """A program as Python prints it, to compare with: without comments and in another layout."""
    return Sources(_text(ast.parse(text)))


def _scattered(tree: ast.Module) -> Sources | None:
    """Without annotations, the names renamed, its layers in a list, its functions in two files or a class."""
    changes = [typeless.stripped(tree), renaming.renamed(tree), layers.in_list(tree)]
    tree = ast.parse(_text(tree))
    tools = files.helpers_apart(tree)
    if tools is not None:
        return Sources(_text(tree), _text(tools))
    changes += [nesting.as_modules(tree) or methods.as_methods(tree)]
    return Sources(_text(tree)) if any(changes) else None


def _text(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
