"""What shape values and masks have, as far as they were computed from parts like the one that a store replaces."""

from __future__ import annotations

import ast

from unplace.analysis.domain.values import NUMBER, Value
from unplace.analysis.syntax.nodes import walk
from unplace.transform.sites import Site


def is_like_slot(site: Site, node: ast.expr) -> bool:
    """Tell whether a value has the shape of the part that a store replaces, because it was computed from such a part.

    y[1:] = y[1:] * w
    y[i] = y[i - 1] + x[i]              where `x` has the shape of `y`
    """
    value, store = site.run.values.get(node), site.node
    if value is None or value.shape is None or not isinstance(store, ast.Subscript):
        return False
    taken = _taken(site, store.slice)
    parts = [n for n in walk(node) if isinstance(n, ast.Subscript) and _taken(site, n.slice) == taken]
    shapes = [part.shape for n in parts if (part := site.run.values.get(n)) and _is_like_target(site, n.value)]
    if taken in _WHOLE:
        shapes.append(site.value.shape)
    return any(shape == value.shape or site.run.ranks.is_at_least(value.shape, shape) for shape in shapes)


_WHOLE = (["Slice()"], ["Constant(value=Ellipsis)"])


def _taken(site: Site, index: ast.expr) -> list[str]:
    """Return what an index takes, as far as it matters to the shape: all numbers take one row."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    values = map(site.run.values.get, parts)
    return ["a row" if v is not None and v.must_be(NUMBER) else ast.dump(n) for n, v in zip(parts, values, strict=True)]


def _is_like_target(site: Site, node: ast.expr) -> bool:
    """Tell whether a tensor has the shape of the one that the store goes to."""
    value = site.run.values.get(node)
    is_same = ast.dump(node) == ast.dump(site.write.target)
    return is_same or (value is not None and value.shape is not None and value.shape == site.value.shape)


def covers(site: Site, index: ast.expr) -> bool:
    """Tell whether an index is a mask with as many dimensions as the written tensor, and so of its shape."""
    mask = site.run.values.get(index)
    if mask is None or mask.dtype != "bool" or not mask.is_tensor or site.run.is_guarded(site.statement):
        return False
    if site.run.ranks.is_at_least(mask.shape, site.value.shape):
        return True
    return any(site.run.ranks.is_at_least(mask.shape, part.shape) for part in _parts_like_target(site, index))


def _parts_like_target(site: Site, node: ast.expr) -> list[Value]:
    """Return the values of parts in an expression that are shaped like the part that is written: `x[0]` for `y[0]`."""
    written = site.write.target
    if isinstance(written, ast.Name) and len(site.value.objs) == 1:
        definition = site.state.definitions.get(next(iter(site.value.objs)))
        written = definition.expression if definition is not None else written
    whole = site.run.values.get(written.value) if isinstance(written, ast.Subscript) else None
    if not isinstance(written, ast.Subscript) or whole is None or whole.shape is None:
        return []
    taken = _taken(site, written.slice)
    parts = [n for n in walk(node) if isinstance(n, ast.Subscript) and _taken(site, n.slice) == taken]
    bases = [(site.run.values.get(n.value), site.run.values.get(n)) for n in parts]
    return [part for base, part in bases if base is not None and part is not None and base.shape == whole.shape]
