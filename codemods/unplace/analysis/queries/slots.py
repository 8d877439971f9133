"""The access paths of slots and of the objects that have them: `self.h`, `xs[0]`, `d["k"]`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import DICT, LIST, NO_OBJS, Obj, Objs, Value


def place_of(state: Snapshot, holder: Obj, key: Hashable, around: Objs = NO_OBJS) -> AccessPath | None:
    """Return the access path of a slot; None where there is no certain one. The objects `around` it are no owners."""
    if holder.old or (key != ANY and state.is_open(holder)):
        return None
    for place, value in places_of(state, holder, around):
        if value.kinds & (LIST | DICT):
            if key == ANY or value.kinds & ~(LIST | DICT):
                return None
            return place.element(key)
        if isinstance(key, str) and key.isidentifier() and _is_plain(value, key):
            return place.attribute(key)
    return None


def places_of(state: Snapshot, holder: Obj, around: Objs = NO_OBJS) -> Iterator[tuple[AccessPath, Value]]:
    """Iterate over the names certainly bound to an object, then over the attributes and elements that hold it."""
    around |= {holder}
    for name, value in state.names_bound_to(holder):
        if not name.startswith(HIDDEN):
            yield AccessPath(name), value
    for (owner, key), value in state.slots_with(holder):
        if key != ANY and owner not in around:
            place = place_of(state, owner, key, around)
            if place is not None:
                yield place, value


def _is_plain(holder: Value, name: str) -> bool:
    """Tell whether assigning an attribute does nothing but set it."""
    owner = getattr(holder.ref, "of", None)
    if owner is None or owner.is_immutable or owner.intercepts(name) or owner.may_inherit(name):
        return False
    return not owner.lookup("special", name)
