"""Remembers the effects of functions for what calls fix of them."""

from __future__ import annotations

from collections.abc import Callable

from unplace.analysis.domain.constants import Fixed
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.variants import Variant
from unplace.analysis.effects.effect import Effect, Returned
from unplace.analysis.effects.summaries import summarize
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.statements import TooComplexError
from unplace.analysis.syntax.scopes import Scope

_MOST = 4
"""Maximum number of variants of one function that are told apart."""


class Variants:
    """The effects of the functions of a module, by what a call fixes of them."""

    def __init__(self) -> None:
        """Start without effects."""
        self._effects: dict[Scope, dict[Fixed, Effect | None]] = {}

    def effect(
        self, scope: Scope, general: Effect, variant: Variant, walk: Callable[[], tuple[Run, Snapshot | None]]
    ) -> Effect:
        """Return the effect of a variant, which `walk` walks over if it wasn't yet.

        It is the `general` one but for the result and its saves: who may be written to is asked of all calls alike.
        What an attribute decides tells the saves alone: code may store another value that no analysis sees.
        """
        found = self.own_effect(scope, variant, walk)
        if found is None or found.returned is None or general.returned is None:
            return general
        is_of_object = any(path.startswith("self.") for path, _ in variant.fixed)
        returned = _with_saves(general.returned, found.returned) if is_of_object else found.returned
        return general._replace(returned=returned, saves=found.saves)

    def own_effect(
        self, scope: Scope, variant: Variant, walk: Callable[[], tuple[Run, Snapshot | None]]
    ) -> Effect | None:
        """Return the effect of a variant alone; None where it is too complex or under way, or one of too many."""
        known = self._effects.setdefault(scope, {})
        if variant.fixed not in known and len(known) < _MOST:
            known[variant.fixed] = None  # under way
            try:
                known[variant.fixed] = summarize(*walk())
            except TooComplexError:
                return None
        return known.get(variant.fixed)


def _with_saves(general: Returned, found: Returned) -> Returned:
    """Return a value with the saves of another, and each of its elements with those of the other's element."""
    special = dict(found.elements)
    elements = ((key, _with_saves(value, special.get(key, value))) for key, value in general.elements)
    return general._replace(saved=found.saved, elements=tuple(elements))


def is_vague(effect: Effect) -> bool:
    """Tell whether a call of a function may return one thing or another, as far as the effect tells."""
    returned = effect.returned
    if returned is None:
        return False
    is_of_one_kind = returned.kinds & (returned.kinds - 1) == 0
    is_saved_or_not = any(not kept.certain for kept in returned.saved)
    return is_saved_or_not or not is_of_one_kind or bool(returned.parameters or returned.elements) or returned.foreign
