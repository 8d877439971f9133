"""Collects the rows of a tensor that nested loops over two indices fill; the next round collects the rows themselves.

    for i in range(n):                            for i in range(n):
        for j in range(m):                            out_row = []
            out[i, j] = f(x[i], y[j])                 for j in range(m):
                                                          out_row.append(f(x[i], y[j]))
                                                      out[i] = torch.stack(out_row)

The inner loop must store each element of the row once, in order, and read only elements stored before it in this row,
and those of other rows. The same assumptions hold as for a tensor that one loop fills (`collect`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from unplace.analysis.domain.paths import AccessPath
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Line
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.layout import ends_line, new_name, put_before, put_behind
from unplace.transform.recipes.collect import (
    Filling,
    bound_in,
    changes_value,
    counted,
    has_slots,
    is_private,
    made_before,
    uses,
)
from unplace.transform.recipes.sizes import Linear
from unplace.transform.recipes.slot_values import Contents
from unplace.transform.recipes.slots import LAST, Pick, Rounds, narrowed, picked, rounds_of
from unplace.transform.sites import Site
from unplace.transform.verdicts import Collect, Copy


@dataclass(frozen=True, slots=True)
class _Row:
    """The inner loop that fills a row, `for j in rounds: name[i, j] = value`; `outer` are the rounds of the other."""

    filling: Filling
    row: Pick
    index: Linear
    outer: Rounds


@dataclass(frozen=True, slots=True)
class _Read:
    """A read `name[i, part, rest]` of an element of the row."""

    node: ast.Subscript
    part: ast.expr
    rest: tuple[ast.expr, ...]


def collect_row(site: Site, copy: Copy, text: Text) -> Collect | None:
    """Return the recipe, if the inner one of two loops around a store fills a row in order that nothing else sees."""
    target = site.write.target
    is_plain = isinstance(target, ast.Name) and copy.places == (AccessPath(target.id),) and not copy.views
    row = _row(site) if is_plain and not site.write.autocast else None
    stack = site.program.module.name_for(site.run.scope, "torch.stack")
    if row is None or stack is None or not _fits(row.filling, copy, text):
        return None
    filling = row.filling
    reads = list(_reads(row))
    value, how, sizes = filling.store.value, filling.how, filling.sizes
    contents = Contents(site, value, how, sizes, filling.dim, filling.name, filling.loop, depth=2)
    if None in reads or changes_value(filling) or not contents.are_plausible(filling.rounds.variable):
        return None
    assumptions = [*copy.assumptions, *contents.assumptions()]
    if not has_slots(filling):
        assumptions.append(Assumption.LOOP_RUNS(line=Line(filling.loop.lineno)))
    name = new_name(site.run.taken_names(), f"{filling.name}_row")
    edits = _edits(row, name, stack, [read for read in reads if read is not None], text)
    return Collect(filling.name, name, tuple(edits), tuple(assumptions))


def _row(site: Site) -> _Row | None:
    """Return the loops around a store, if the inner one counts through all elements of a row."""
    parents, store, target = site.run.parents, site.statement, site.write.target
    inner = parents.get(store)
    outer = parents.get(inner) if inner is not None else None
    if not isinstance(inner, ast.For) or not isinstance(outer, ast.For) or inner not in outer.body:
        return None
    if store not in inner.body or inner.orelse or site.run.flow.has_cut_rounds(inner):
        return None
    if not isinstance(store, ast.Assign) or store.targets != [site.node] or not isinstance(site.node, ast.Subscript):
        return None
    slot = picked(site.node.slice)
    if slot is None or slot.dim == LAST or len(slot.rest) != 1 or not isinstance(target, ast.Name):
        return None
    making = made_before(site, outer, target.id, slot.dim + 1)
    rounds = rounds_of(outer, making.sizes) if making is not None else None
    if making is None or rounds is None or rounds.variable in bound_in(outer.body):
        return None
    sizes = making.sizes
    sizes.enter(outer, rounds.variable)
    for statement in outer.body[: outer.body.index(inner)]:
        sizes.pass_by(statement)
    index = sizes.of(slot.part)
    element = Pick(slot.dim + 1, slot.rest[0], ())
    filling = counted(site, inner, making, element)
    if filling is None or index is None or index.term != AccessPath(rounds.variable):
        return None
    is_whole = not filling.first and not filling.shift and not filling.rounds.is_reversed
    return _Row(filling, slot, index, rounds) if is_whole else None


def _fits(filling: Filling, copy: Copy, text: Text) -> bool:
    """Tell whether only the loop sees the row, and there is room for lines before and after it."""
    has_yield = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(filling.store.value))
    is_alone = ends_line(text, filling.loop) and not has_yield
    return is_alone and is_private(filling, copy, filling.site.run.parents)


def _reads(row: _Row) -> Iterator[_Read | None]:
    """Iterate over the reads of the row in the inner loop; None stands for a use that may see what isn't there yet."""
    filling, parents = row.filling, row.filling.site.run.parents
    behind = False
    for statement in filling.loop.body:
        for use in uses(statement, filling.name):
            node = parents[use]
            if node is filling.store.targets[0]:
                continue
            is_read = isinstance(node, ast.Subscript) and node.value is use and isinstance(node.ctx, ast.Load)
            slot = picked(node.slice) if isinstance(node, ast.Subscript) and is_read else None
            index = filling.sizes.of(slot.part) if slot is not None and slot.dim == row.row.dim else None
            if index is None or index.term != row.index.term or slot is None or not isinstance(node, ast.Subscript):
                yield None
            elif index == row.index:
                yield _in_row(row, node, slot, behind=behind)
            elif not _is_other_row(row, node, index):
                yield None
        behind = behind or statement is filling.store


def _in_row(row: _Row, node: ast.Subscript, slot: Pick, *, behind: bool) -> _Read | None:
    """Return a read of an element that is stored before: `out[i, j - 1]`, but not `out[i]`."""
    filling = row.filling
    part = slot.rest[0] if slot.rest else None
    index = filling.sizes.of(part) if part is not None else None
    if part is None or index is None or index.term != AccessPath(filling.rounds.variable):
        return None
    rounds = narrowed(filling.rounds, node, filling.site.run.parents, filling.sizes)
    is_stored = index.offset < behind and rounds.start.term is None and rounds.start.offset + index.offset >= 0
    return _Read(node, part, slot.rest[1:]) if is_stored else None


def _is_other_row(row: _Row, node: ast.Subscript, index: Linear) -> bool:
    """Tell whether a read is of another row: not of the last one by -1, which may be the same."""
    filling = row.filling
    rounds = narrowed(row.outer, node, filling.site.run.parents, filling.sizes)
    return rounds.start.term is None and rounds.start.offset + index.offset >= 0


def _edits(row: _Row, name: str, stack: str, reads: list[_Read], text: Text) -> Iterator[Edit]:
    """Iterate over the edits for the start of the list, the stores, the reads, and the store of the whole row."""
    filling = row.filling
    target = filling.store.targets[0]
    assert isinstance(target, ast.Subscript)
    yield put_before(text, filling.loop, [f"{name} = []"])
    (start, end), (inner, outer) = text.span(filling.store), text.span(filling.store.value)
    parenthesis = text.text.find("(", text.span(target)[1], inner)  # one around the value
    if parenthesis >= 0:
        yield Edit(start, parenthesis + 1, f"{name}.append(")
    else:
        yield Edit(start, inner, f"{name}.append(")
        yield Edit(outer, end, ")")
    for read in reads:
        begin, stop = text.span(read.node)
        rest = ", ".join([":"] * row.row.dim + [text.slice(part) for part in read.rest])
        yield Edit(begin, stop, f"{name}[{text.slice(read.part)}]" + (f"[{rest}]" if read.rest else ""))
    whole = ":, " * row.row.dim + text.slice(row.row.part)
    dim = f", dim={row.row.dim}" if row.row.dim else ""
    yield put_behind(text, filling.loop, f"{filling.name}[{whole}] = {stack}({name}{dim})")
