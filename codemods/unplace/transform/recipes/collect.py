"""Collect, then stack: a tensor that a loop fills slot by slot becomes a list and `torch.stack`.

    out = torch.zeros(steps, batch, width)        out_steps = []
    for t in range(steps):                        for t in range(steps):
        h = cell(x[t], h)                             h = cell(x[t], h)
        out[t] = h * out_scale                        out_steps.append(h * out_scale)
                                                  out = torch.stack(out_steps)

Slots written before the loop stay as they are and start the list: `out_steps = [out[0]]`. Time and memory are linear in
the number of steps, backward included; a store would send a gradient of the whole tensor back in every step, and a
clone would also copy the whole tensor forward.

The loop must store each slot once, in order, and read only slots stored before. A store casts and broadcasts, a list
doesn't, so the stored value must look like a slot: this is proved where the tensors are made alike, else assumed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from unplace.analysis.domain.paths import AccessPath
from unplace.analysis.domain.values import NUMBER, Objs, Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.syntax.nodes import Parents, walk
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Line
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit.layout import ends_line, new_name, put_behind
from unplace.transform.recipes.constructors import Constructor, constructor
from unplace.transform.recipes.sizes import Linear, Sizes, extent
from unplace.transform.recipes.slot_values import Contents
from unplace.transform.recipes.slots import LAST, Pick, Rounds, narrowed, picked, rounds_of
from unplace.transform.sites import Site
from unplace.transform.verdicts import Collect, Copy


@dataclass(frozen=True, slots=True)
class _Filling:
    """A loop that fills a tensor, `for t in rounds: name[t + shift] = value`; `first` slots are there before it."""

    site: Site
    name: str
    store: ast.Assign
    loop: ast.For
    made: ast.stmt  # the statement that makes the tensor
    between: list[ast.stmt]  # the statements after that, up to the loop
    how: Constructor
    sizes: Sizes  # those known in the body of the loop
    rounds: Rounds
    dim: int
    shift: int
    first: int


def collect(site: Site, copy: Copy, text: Text) -> Collect | None:
    """Return the recipe, if the loop around a store fills the tensor in order and nothing else sees the tensor."""
    target = site.write.target
    if not isinstance(target, ast.Name) or copy.places != (AccessPath(target.id),) or site.write.autocast:
        return None
    parents = site.run.parents
    filling = _filling(site, parents)
    if filling is None or not _is_private(filling, copy, parents):
        return None
    reads = list(_reads(filling, parents))
    edits = _Edits(filling, text)
    if None in reads or not edits.fits() or _changes_value(filling):
        return None
    contents = Contents(site, filling.store.value, filling.how, filling.sizes, filling.dim, filling.name, filling.loop)
    if not contents.are_plausible(filling.rounds.variable):
        return None
    assumptions = [*copy.assumptions, *contents.assumptions()]
    if not _has_slots(filling):
        loop = Assumption.LOOP_RUNS(line=Line(filling.loop.lineno))
        assumptions.append(Assumption.NOT_EMPTY(name=filling.name) if filling.first > 0 else loop)
    return Collect(
        filling.name, edits.list_name, edits.all([read for read in reads if read is not None]), tuple(assumptions)
    )


# -- the shape of the loop --------------------------------------------------------------------------------------------


def _filling(site: Site, parents: Parents) -> _Filling | None:
    """Return the loop around a store, if it counts through all slots of a tensor made before it."""
    store, target = site.statement, site.write.target
    loop = parents.get(store)
    assert isinstance(target, ast.Name)
    if not isinstance(loop, ast.For) or store not in loop.body or loop.orelse or not isinstance(store, ast.Assign):
        return None
    if store.targets != [site.node] or site.run.flow.has_cut_rounds(loop):
        return None
    assert isinstance(site.node, ast.Subscript)
    slot = picked(site.node.slice)
    if slot is None or slot.rest:
        return None
    making = _made_before(site, loop, target.id, slot.dim)
    return _counted(site, loop, making, slot) if making is not None else None


_SIZE = "the size of the tensor"


@dataclass(frozen=True, slots=True)
class _Making:
    """The statement that makes the tensor of a loop, the statements between both, and the sizes known there."""

    statement: ast.stmt
    between: list[ast.stmt]
    how: Constructor
    sizes: Sizes


def _made_before(site: Site, loop: ast.For, name: str, dim: int) -> _Making | None:
    """Return how a name got its tensor in the block of a loop, if the size in the dimension that is filled is known."""
    spot = site.run.flow.spot(loop)
    if spot is None:
        return None
    block, position = spot.block, spot.position
    start = next((p for p in reversed(range(position)) if name in _bound_in([block[p]])), None)
    how = _made_by(site.run, name, block[start]) if start is not None else None
    if start is None or how is None:
        return None
    sizes, between = Sizes(site.run), block[start + 1 : position]
    for statement in block[:start]:
        sizes.pass_by(statement)
    size = how.extent(dim, sizes)
    sizes.pass_by(block[start])
    if size is None:
        return None
    sizes.note(_SIZE, size)
    if isinstance(how.like, ast.Name):
        sizes.note(how.like.id, Linear(AccessPath(how.like.id), 0))
    for statement in between:
        sizes.pass_by(statement)
    return _Making(block[start], between, how, sizes)


def _counted(site: Site, loop: ast.For, making: _Making, slot: Pick) -> _Filling | None:
    """Return the filling, if the loop counts exactly through the slots that are left."""
    assert isinstance(site.write.target, ast.Name)
    assert isinstance(site.statement, ast.Assign)
    name, sizes = site.write.target.id, making.sizes
    size, rounds = sizes.noted(_SIZE), rounds_of(loop, sizes)
    if rounds is None or rounds.start.term is not None or rounds.variable in _bound_in(loop.body):
        return None
    if rounds.stop == extent(AccessPath(name), slot.dim):
        size = rounds.stop
    sizes.enter(loop, rounds.variable)
    index = sizes.of(slot.part)
    if size is None or index is None or index.term != AccessPath(rounds.variable) or size.term != rounds.stop.term:
        return None
    shift, left = index.offset, size.offset - rounds.stop.offset - index.offset
    first = left if rounds.is_reversed else rounds.start.offset + shift
    is_whole = rounds.start.offset + shift == 0 and left in (0, 1) if rounds.is_reversed else left == 0 and first >= 0
    if not is_whole:
        return None
    made, between, how = making.statement, making.between, making.how
    return _Filling(site, name, site.statement, loop, made, between, how, sizes, rounds, slot.dim, shift, first)


def _bound_in(statements: list[ast.stmt]) -> set[str]:
    """Return the names that statements bind."""
    nodes = (n for statement in statements for n in walk(statement))
    return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _made_by(run: Run, name: str, statement: ast.stmt) -> Constructor | None:
    """Return the constructor that a statement assigns to a name, alone or in a tuple."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return None
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        return constructor(run, value)
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
        if not any(isinstance(e, ast.Starred) for pair in pairs for e in pair):
            return next((constructor(run, v) for t, v in pairs if isinstance(t, ast.Name) and t.id == name), None)
    return None


def _has_slots(filling: _Filling) -> bool:
    """Tell whether the tensor certainly has a slot, so that there is something to stack."""
    rounds, size = filling.rounds, filling.sizes.noted(_SIZE)
    if rounds.is_some or (filling.first and size is not None and size.is_extent and size.offset > 0):
        return True
    wanted = {Linear(None, n) for n in range(filling.first)}
    for statement in filling.between:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == filling.name:
            slot = picked(target.slice)
            if slot is not None and slot.dim == filling.dim:
                index = filling.site.run.values.get(slot.part)
                is_end = filling.rounds.is_reversed and index is not None and index.must_be(NUMBER)
                if filling.first and (is_end or filling.sizes.of(slot.part) in wanted):
                    return True
    return False


# -- other observers of the tensor ------------------------------------------------------------------------------------


def _is_private(filling: _Filling, copy: Copy, parents: Parents) -> bool:
    """Tell whether only this loop sees the tensor while it is being filled."""
    scope, name = filling.site.run.scope, filling.name
    if name not in scope.bound or name in scope.captured | scope.volatile:
        return False
    if filling.site.run.is_guarded(filling.loop):  # a handler could see a half-filled tensor
        return False
    inside = _bound_in(filling.loop.body)
    made_again = {target.root for view in copy.views for target in view.targets}
    if not made_again <= inside - _bound_in([filling.made, *filling.between]):
        return False
    if any(not _is_subscripted(n, parents) for s in filling.between for n in _uses(s, name)):
        return False
    if any(_uses(filling.loop.iter, name)) and not filling.first:
        return False
    return not any(_touches(filling, write, inside) for write in _other_writes(filling))


def _is_subscripted(node: ast.Name, parents: Parents) -> bool:
    parent = parents[node]
    return isinstance(parent, ast.Subscript) and parent.value is node


def _uses(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """Iterate over the uses of a name in a piece of code."""
    return (n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)


def _other_writes(filling: _Filling) -> Iterator[Write]:
    """Iterate over the other writes to the tensor's memory, and the calls that hand it to a function that writes it."""
    site = filling.site
    roots = _ageless(site, site.roots())
    every = site.run.all_writes()
    for write in every:
        if write is not site.write and _ageless(site, write.state.roots(write.value.objs)) & roots:
            yield write


def _ageless(site: Site, objs: Objs) -> Objs:
    """Return the objects regardless of which round of a loop made them."""
    return frozenset(site.run.names.aged(obj) for obj in objs)


def _touches(filling: _Filling, write: Write, inside: set[str]) -> bool:
    """Tell whether another write could be noticed: one in the loop, or a later one while a slot is still reachable."""
    site, state, flow = filling.site, write.state, filling.site.run.flow
    if flow.is_in(write.statement, filling.loop):
        return True
    if any(flow.is_in(write.statement, s) for s in filling.between):
        return False
    roots = _ageless(site, site.roots())
    seen = [*(value for name, value in state.env.items() if name in inside), *state.heap.values()]
    return any(_ageless(site, state.roots(value.objs)) & roots for value in seen if value.objs)


def _changes_value(filling: _Filling) -> bool:
    """Tell whether the stored value may be written before the list is stacked; the store took a copy of it."""
    site, value = filling.site, filling.site.run.values.get(filling.store.value)
    if value is None:
        return True
    stored = site.state.roots(value.objs)
    if any(o.origin in (Origin.ATTRIBUTE, Origin.GLOBAL, Origin.CLOSURE) for o in stored):
        return True
    names = {n.id for n in walk(filling.store.value) if isinstance(n, ast.Name)}
    if value.objs and names & site.run.scope.volatile:
        return True
    aged, flow = _ageless(site, stored), site.run.flow
    every = site.run.all_writes()
    return any(
        write is not site.write
        and flow.is_in(write.statement, filling.loop)
        and _ageless(site, write.state.roots(write.value.objs)) & aged
        for write in every
    )


# -- reads of earlier slots -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Read:
    """A read `name[.., part, rest]` of a slot; `index` replaces `part` where the list is indexed differently."""

    node: ast.Subscript
    slot: Pick
    index: str | None


def _reads(filling: _Filling, parents: Parents) -> Iterator[_Read | None]:
    """Iterate over the reads of the tensor in the loop; None stands for a use that isn't a read of an earlier slot."""
    behind = False
    for statement in filling.loop.body:
        for use in _uses(statement, filling.name):
            node = parents[use]
            if node is not filling.store.targets[0]:
                yield _read(filling, node, parents, behind=behind)
        behind = behind or statement is filling.store


def _read(filling: _Filling, node: ast.AST, parents: Parents, *, behind: bool) -> _Read | None:
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return None
    slot = picked(node.slice)
    index = filling.sizes.of(slot.part) if slot is not None else None
    if slot is None or index is None or slot.dim != filling.dim:
        return None
    rounds = narrowed(filling.rounds, node, parents, filling.sizes)
    ahead = index.offset - filling.shift  # how far the slot is from the one that is stored in this round
    if filling.rounds.is_reversed:
        is_stored = ahead > 0 or (behind and ahead == 0)
        is_there = rounds.stop.offset - 1 + index.offset < filling.rounds.stop.offset + filling.shift + filling.first
        if index.term != AccessPath(filling.rounds.variable) or not is_stored or not is_there:
            return None
        return _Read(node, slot, str(-ahead - behind))
    if index.term is None:
        is_stored = 0 <= index.offset < rounds.start.offset + filling.shift + behind
        return _Read(node, slot, None) if is_stored else None
    if index.term != AccessPath(filling.rounds.variable) or ahead >= behind or rounds.start.offset + index.offset < 0:
        return None
    return _Read(node, slot, None)


# -- the edits --------------------------------------------------------------------------------------------------------


class _Edits:
    """The edits that put a list in the place of the tensor."""

    def __init__(self, filling: _Filling, text: Text) -> None:
        self._filling = filling
        self._text = text
        scope, program = filling.site.run.scope, filling.site.program
        self.list_name = new_name(filling.site.run.taken_names(), f"{filling.name}_steps")
        self._stack = program.module.name_for(scope, "torch.stack")
        users = [s for s in filling.between if any(_uses(s, filling.name))]
        self._last = users[-1] if users else filling.made

    def fits(self) -> bool:
        """Tell whether there is room for a line before and after the loop."""
        filling = self._filling
        if self._stack is None or any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk(filling.store.value)):
            return False
        if not filling.first:
            is_alone = isinstance(filling.made, ast.Assign) and isinstance(filling.made.targets[0], ast.Name)
            is_alone = is_alone and "#" not in self._text.slice(filling.made)
            return is_alone and self._last is filling.made and ends_line(self._text, filling.loop)
        return ends_line(self._text, self._last) and ends_line(self._text, filling.loop)

    def all(self, reads: list[_Read]) -> tuple[Edit, ...]:
        """Return the edits for the start of the list, the stores, the reads, and the `torch.stack` after the loop."""
        filling, name = self._filling, self.list_name
        edits: list[Edit] = []
        if filling.first:
            edits.append(put_behind(self._text, self._last, f"{name} = {self._beginning()}"))
        else:
            edits.append(Edit(*self._text.span(filling.made), f"{name} = []"))
        start, end = self._text.span(filling.store)
        value = filling.store.value
        inner, outer = self._text.span(value)
        behind_target = self._text.span(filling.store.targets[0])[1]
        parenthesis = self._text.text.find("(", behind_target, inner)  # one around the value
        if parenthesis >= 0:
            edits.append(Edit(start, parenthesis + 1, f"{name}.append("))
        else:
            edits += [Edit(start, inner, f"{name}.append("), Edit(outer, end, ")")]
        for read in reads:
            edits += self._read(read)
        order = "[::-1]" if filling.rounds.is_reversed else ""
        dim = f", dim={filling.dim}" if filling.dim else ""
        edits.append(put_behind(self._text, filling.loop, f"{filling.name} = {self._stack}({name}{order}{dim})"))
        return tuple(edits)

    def _beginning(self) -> str:
        """Return the list of the slots that are there before the loop: `[out[0]]` or `list(out[:2])`."""
        filling = self._filling
        before = "..., " if filling.dim == LAST else ":, " * filling.dim
        if filling.first == 1:
            return f"[{filling.name}[{before}{-1 if filling.rounds.is_reversed else 0}]]"
        slots = f"{filling.name}[{before}:{filling.first}]"
        return f"list({slots})" if filling.dim == 0 else f"list({slots}.unbind({filling.dim}))"

    def _read(self, read: _Read) -> Iterator[Edit]:
        """Iterate over the edits that turn `out[:, t - 1, k]` into `out_steps[t - 1][:, k]`."""
        start, end = self._text.span(read.node)
        inner, outer = self._text.span(read.slot.part)
        index = self._text.slice(read.slot.part) if read.index is None else read.index
        yield Edit(start, inner, f"{self.list_name}[")
        if read.index is not None:
            yield Edit(inner, outer, index)
        if read.slot.rest:
            before = ":, " * max(self._filling.dim, 0)  # the dimensions of a slot in front of the rest
            yield Edit(outer, self._text.span(read.slot.rest[0])[0], f"][{before}")
            yield Edit(self._text.span(read.slot.rest[-1])[1], end, "]")
        else:
            yield Edit(outer, end, "]")
