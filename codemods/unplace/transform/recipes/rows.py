"""Rows of a tensor that a loop iterates over: torch forbids writing them, so they are taken by index.

    for row in y:
        row /= row.sum()

    for i in range(len(y)):
        row = y[i]
        row /= row.sum()

A row taken by index is an ordinary view, which may be written: the next round decides about the write.
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.values import Value
from unplace.analysis.interpret.stores import is_replayable
from unplace.analysis.syntax.nodes import own_nodes
from unplace.diagnostics.catalogue import Rewrite
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.layout import new_name, put_before
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside


def by_index(site: Site, text: Text) -> Aside | None:
    """Return the edits that let the loop around a write take its rows by index; None where there is no such loop."""
    row: ast.expr = site.write.target
    while isinstance(row, ast.Subscript):
        row = row.value
    if site.is_untracked():
        return None
    found: Aside | None = None
    while isinstance(row, ast.Name) and _is_row(site, row.id):  # the outermost of nested loops comes first
        loop = next((n for n in own_nodes(site.run.scope.node) if _yields(n, row.id, site)), None)
        if not isinstance(loop, ast.For) or site.state.binds.get(row.id) is not _target(loop, row.id):
            break
        found, row = reindexed(site, loop, row.id, text), loop.iter
    return found


def _is_row(site: Site, name: str) -> bool:
    """Tell whether torch forbids writing the tensor that a name is bound to."""
    held, bases = site.state.env.get(name), site.state.bases
    return held is not None and bool(held.objs) and all(o in bases and bases[o].forbidden for o in held.objs)


def _yields(node: ast.AST, name: str, site: Site) -> bool:
    """Tell whether a node is a loop around the site that binds the name."""
    if not isinstance(node, ast.For) or _target(node, name) is None:
        return False
    spot = site.run.flow.spot(site.statement)
    return spot is not None and node in spot.loops


def _target(loop: ast.For, name: str) -> ast.Name | None:
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    return next((t for t in targets if isinstance(t, ast.Name) and t.id == name), None)


def reindexed(site: Site, loop: ast.For, row: str, text: Text) -> Aside | None:
    """Return the edits that let a loop take by index the rows that it binds to `row`."""
    call = loop.iter if isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) else None
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    place = next(n for n, target in enumerate(targets) if isinstance(target, ast.Name) and target.id == row)
    taken = site.run.taken_names()
    index = next((letter for letter in "ijkn" if letter not in taken), None) or new_name(taken, "i")
    if call is None:
        tensor, header = loop.iter, (index, "range(len({}))")
    elif call.func.id == "enumerate" and len(call.args) == 1 and place == 1 and not call.keywords:  # type: ignore[attr-defined]
        if not isinstance(targets[0], ast.Name):
            return None
        tensor, index = call.args[0], targets[0].id
        header = (index, "range(len({}))")
    elif call.func.id == "zip" and len(call.args) == len(targets) and not call.keywords:  # type: ignore[attr-defined]
        tensor = call.args[place]
        arguments = [text.slice(a) if n != place else "range(len({}))" for n, a in enumerate(call.args)]
        names = [text.slice(t) if n != place else index for n, t in enumerate(targets)]
        header = (", ".join(names), f"zip({', '.join(arguments)})")
    else:
        return None
    is_name = isinstance(tensor, ast.Name) or is_replayable(site.run, tensor, top=True)
    if not is_name or not _stays(site, loop, tensor, index, site.run.values.get(tensor)):
        return None
    whole = text.slice(tensor)
    start, _ = text.span(loop.target)
    _, end = text.span(loop.iter)
    edits = (
        Edit(start, end, f"{header[0]} in {header[1].format(whole)}"),
        put_before(text, loop.body[0], [f"{row} = {whole}[{index}]"]),
    )
    return Aside(edits, Rewrite.ROW_INDEXED(row=row, whole=whole))


def _stays(site: Site, loop: ast.For, tensor: ast.expr, index: str, value: Value | None) -> bool:
    """Tell whether the loop binds neither the tensor nor the index, so that `tensor[index]` remains the row."""
    inside = [n for s in loop.body for n in ast.walk(s)]
    written = {n.target for n in inside if isinstance(n, ast.AugAssign) and n in site.run.writes}  # same tensor
    bound = {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) and n not in written}
    return (
        value is not None
        and value.is_tensor
        and not value.likely
        and not value.objs & site.run.reshaped  # the rows have the memory and the shape that the tensor had before
        and not bound & {index, *(n.id for n in ast.walk(tensor) if isinstance(n, ast.Name))}
    )
