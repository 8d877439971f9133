"""Access paths and bindings as the file would write them: strings in the quotes that it prefers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.text.positions import Text
from unplace.transform.verdicts import Copy, Rebind, Split


def written(text: Text, place: AccessPath) -> str:
    """Return the source of a place."""
    return text.quoted(str(place))


def targets(text: Text, recipe: Rebind | Copy | Split) -> tuple[str, ...]:
    """Return the targets, each to be followed by `=`, with which a recipe binds its places: `a`, `b` of `a = b = v`."""
    return _targets(text, recipe.places, isinstance(recipe, Rebind) and recipe.is_unpacked)


def lines(text: Text, bindings: Iterable[Binding]) -> list[str]:
    """Return the statements that make bindings."""
    return [
        " = ".join((*_targets(text, binding.targets, binding.is_unpacked), text.quoted(binding.value)))
        for binding in bindings
    ]


def cloned(text: Text, copy: Copy) -> list[str]:
    """Return the statement that gives all places one private copy, `a = b = a.clone()`, and those that make views."""
    clone = " = ".join((*targets(text, copy), f"{written(text, copy.places[0])}.clone()"))
    return [clone, *lines(text, copy.views)]


def _targets(text: Text, places: Sequence[AccessPath], is_unpacked: bool) -> tuple[str, ...]:
    sources = tuple(written(text, place) for place in places)
    return (", ".join(sources),) if is_unpacked else sources
