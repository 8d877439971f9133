"""Tells the effects of functions by what calls fix of them."""

from __future__ import annotations

from unplace.analysis.domain.variants import Variant
from unplace.analysis.effects.effect import Effect, Returned


def special(general: Effect, found: Effect | None, variant: Variant) -> Effect:
    """Return the effect of a variant of a function, of which `found` is what a walk over it gave.

    It is the `general` one but for the result and its saves: who may be written to is asked of all calls alike.
    What an attribute decides tells the saves alone: code may store another value that no analysis sees.
    """
    if found is None or found.returned is None or general.returned is None:
        return general
    is_of_object = any(path.startswith("self.") for path, _ in variant.fixed)
    returned = _with_saves(general.returned, found.returned) if is_of_object else found.returned
    return general._replace(returned=returned, saves=found.saves)


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
