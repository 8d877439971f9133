"""Rows of a tensor that a loop iterates over: torch forbids writing them, so they are taken by index.

    for row in y:
        row /= row.sum()

    for i in range(len(y)):
        row = y[i]
        row /= row.sum()

A row taken by index is an ordinary view, which may be written: the next round decides about the write. A tensor that
the header makes gets a name before the loop: `rows = y.clone()`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from unplace.analysis.domain.values import Link, Value
from unplace.analysis.interpret.stores import is_replayable
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.catalogue import Rewrite
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.layout import header_of, new_index, new_name, put_before, standing_alone
from unplace.transform.recipes.pieces import called
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside


def by_index(site: Site, text: Text) -> Aside | None:
    """Return the edits that let the loop around a write take its rows by index; None where there is no such loop."""
    row: ast.expr = site.write.target
    while isinstance(row, ast.Subscript):
        row = row.value
    if site.is_untracked() or hides_builtins(site):
        return None
    found: Aside | None = None
    while isinstance(row, ast.Name) and _is_row(site, row.id):  # the outermost of nested loops comes first
        loop = _loop_over(site, row.id)
        if loop is None or site.state.binds.get(row.id) is not _target(loop, row.id):
            break
        found, row = reindexed(site, loop, row.id, text), loop.iter
    return found


def hides_builtins(site: Site) -> bool:
    """Tell whether a name that counts or collects rows isn't Python's own: `len = h.size(0)`."""
    scopes, scope = site.program.module.scopes, site.run.scope
    return any(scopes.owner(scope, name) is not None for name in ("len", "list", "range", "tuple"))


def _is_row(site: Site, name: str) -> bool:
    """Tell whether torch forbids writing the tensor that a name is bound to."""
    held, bases = site.state.env.get(name), site.state.bases
    return held is not None and bool(held.objs) and all(o in bases and bases[o].forbidden for o in held.objs)


def _loop_over(site: Site, name: str) -> ast.For | None:
    """Return the loop around the site that binds the name; the outermost, if there are several."""
    spot = site.run.flow.spot(site.statement)
    loops = (n for n in (spot.loops if spot is not None else ()) if isinstance(n, ast.For))
    return next((loop for loop in loops if _target(loop, name) is not None), None)


def _target(loop: ast.For, name: str) -> ast.Name | None:
    """Return the target by which a loop binds a name; that of `i, (row, gain)` may stand inside another."""
    targets = [t for part in _parts(loop.target) for t in _parts(part)]
    return next((t for t in targets if isinstance(t, ast.Name) and t.id == name), None)


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple) else [target]


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a loop over the rows of a tensor, as it becomes: `for {targets} in {iterable}`, `row = y[{index}]`.

    `counter` is the name that counts the rounds; `iterable` has a gap for the tensor. `is_late` tells that calls are
    evaluated before the tensor.
    """

    tensor: ast.expr
    targets: str
    iterable: str
    counter: str
    index: str
    is_late: bool = False


def reindexed(site: Site, loop: ast.For, row: str, text: Text) -> Aside | None:
    """Return the edits that let a loop take by index the rows that it binds to `row`."""
    header = _header(site, loop, row, text)
    if header is None:
        return None
    tensor, value = header.tensor, site.run.values.get(header.tensor)
    if value is None:
        return None
    is_named = not isinstance(tensor, ast.Name) and not _is_replayed(site, tensor)
    header_span = header_of(text, loop)
    if header_span is None or not _stays(site, loop, None if is_named else tensor, header.counter, value):
        return None
    whole = standing_alone(text.slice(tensor))
    made: tuple[Edit, ...] = ()
    if is_named:
        if header.is_late or text.indentation(text.span(loop)[0]) is None:
            return None
        name = new_name(site.run.taken_names(), "rows")
        made, whole = (put_before(text, loop, [f"{name} = {whole}"]),), name
    edits = (
        *made,
        Edit(*header_span, f"{header.targets} in {header.iterable.format(whole)}"),
        put_before(text, loop.body[0], [f"{row} = {whole}[{header.index}]"]),
    )
    return Aside(edits, Rewrite.ROW_INDEXED(row=row, whole=text.slice(tensor)))


def _is_replayed(site: Site, tensor: ast.expr) -> bool:
    """Tell whether an expression certainly gives the same view each time: `y[1:]`, but not `y.clone()[1:]`."""
    value = site.run.values.get(tensor)
    if not isinstance(tensor, ast.Attribute | ast.Call | ast.Subscript):  # an index would bind closer
        return False
    if value is None or not value.objs or not is_replayable(site.run, tensor, top=True):
        return False
    bases = [site.state.bases.get(obj) for obj in value.objs]
    named = [site.run.values[n].objs for n in walk(tensor) if isinstance(n, ast.Name) and n in site.run.values]
    owners = site.state.roots(value.objs) - site.state.bases.keys()
    return owners <= site.state.roots(frozenset().union(*named)) and all(
        base is not None and base.link is Link.VIEW for base in bases
    )


def _header(site: Site, loop: ast.For, row: str, text: Text) -> _Header | None:
    """Return the new header of a loop over a tensor, or over `enumerate` or `zip` of it."""
    free = new_index(site.run.taken_names())
    call = called(loop.iter)
    if not isinstance(loop.iter, ast.Call) or isinstance(loop.iter.func, ast.Attribute):
        return _Header(loop.iter, free, "range(len({}))", free, free) if isinstance(loop.target, ast.Name) else None
    if call == "zip":
        return _zipped(loop.iter, _parts(loop.target), row, free, text)
    if call != "enumerate" or not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2:
        return None
    counter, taken_rows = loop.target.elts
    counted, start = _counted(loop.iter)
    if not isinstance(counter, ast.Name) or counted is None:
        return None
    if isinstance(taken_rows, ast.Name):
        if not start:
            return _Header(counted, counter.id, "range(len({}))", counter.id, counter.id)
        rounds = f"range({start}, len({{}}) + {start})"
        return _Header(counted, counter.id, rounds, counter.id, f"{counter.id} - {start}")
    if called(counted) != "zip" or start or not isinstance(counted, ast.Call):
        return None
    zipped = _zipped(counted, _parts(taken_rows), row, counter.id, text)
    if zipped is None:
        return None
    others = [text.slice(t) for t in _parts(taken_rows) if not (isinstance(t, ast.Name) and t.id == row)]
    iterables = ["range(len({}))", *(_escaped(text.slice(a)) for a in counted.args if a is not zipped.tensor)]
    targets = ", ".join([counter.id, *others])
    return replace(zipped, targets=targets, iterable=f"zip({', '.join(iterables)})" if others else iterables[0])


def _zipped(call: ast.Call, targets: list[ast.expr], row: str, counter: str, text: Text) -> _Header | None:
    """Return the header `i, g in zip(range(len(y)), gains)` for `row, g in zip(y, gains)`."""
    place = next((n for n, t in enumerate(targets) if isinstance(t, ast.Name) and t.id == row), None)
    if place is None or len(call.args) != len(targets) or call.keywords:
        return None
    if any(isinstance(node, ast.Starred) for node in (*call.args, *targets)):
        return None
    arguments = [_escaped(text.slice(a)) if n != place else "range(len({}))" for n, a in enumerate(call.args)]
    names = [text.slice(t) if n != place else counter for n, t in enumerate(targets)]
    is_late = any(isinstance(node, ast.Call) for before in call.args[:place] for node in ast.walk(before))
    return _Header(call.args[place], ", ".join(names), f"zip({', '.join(arguments)})", counter, counter, is_late)


def _counted(call: ast.Call) -> tuple[ast.expr | None, int]:
    """Return what `enumerate` counts, and where it starts."""
    starts = [*call.args[1:], *(k.value for k in call.keywords if k.arg == "start")]
    if not call.args or len(starts) != len(call.args) - 1 + len(call.keywords) or len(starts) > 1:
        return None, 0
    if not starts:
        return call.args[0], 0
    start = starts[0].value if isinstance(starts[0], ast.Constant) else None
    return (call.args[0], start) if isinstance(start, int) and start >= 0 else (None, 0)


def _escaped(code: str) -> str:
    return code.replace("{", "{{").replace("}", "}}")


def _stays(site: Site, loop: ast.For, tensor: ast.expr | None, index: str, value: Value) -> bool:
    """Tell whether the loop binds neither the tensor nor the index, so that `tensor[index]` remains the row.

    `tensor` is None where the tensor gets a name of its own.
    """
    inside = [n for s in loop.body for n in ast.walk(s)]
    written = {n.target for n in inside if isinstance(n, ast.AugAssign) and n in site.run.writes}  # same tensor
    bound = {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) and n not in written}
    names = [n.id for n in ast.walk(tensor) if isinstance(n, ast.Name)] if tensor is not None else []
    return (
        value.is_tensor
        and not value.likely
        and not value.objs & site.run.reshaped  # the rows have the memory and the shape that the tensor had before
        and not bound & {index, *names}
    )
