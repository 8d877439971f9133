"""Outputs of a splitting operation, which torch forbids writing: the whole is put together again from its pieces.

    a, b = y.chunk(2, dim=1)
    b *= scale

    a, b = y.chunk(2, dim=1)
    b = b * scale
    y = torch.cat([a, b], dim=1)
    a, b = y.chunk(2, dim=1)

The last line is omitted where no piece is read later. Where the pieces have no names and only they are read later, each
becomes a tensor of its own:

    parts = y.chunk(n)                      parts = tuple(part.clone() for part in y.chunk(n))
    for part in parts:                      for part in parts:
        part += 1                               part += 1
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.analysis.domain.state import HIDDEN
from unplace.analysis.domain.values import Obj, Origin, Value, is_same
from unplace.analysis.interpret.run import Run
from unplace.analysis.queries.observers import replays
from unplace.analysis.queries.operands import operands
from unplace.analysis.syntax.nodes import own_nodes
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.reasons import Reason
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.emit.copies import laid_out
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside


@dataclass(frozen=True, slots=True)
class PutBack:
    """The names of the written piece, the bindings after the write that restore the whole, and their assumptions."""

    places: tuple[AccessPath, ...]
    lines: tuple[Binding, ...]
    assumptions: tuple[Reason, ...]


def put_back(site: Site, place: ast.expr) -> PutBack | None:
    """Return how to restore the tensor of which a piece is written; None where the pieces have no names."""
    split = _split_of(site, place)
    whole = _whole(site, split.value) if split is not None else None
    is_bound = isinstance(site.statement, ast.Assign) and not site.write.kind.is_statement
    if split is None or whole is None or is_bound:  # `a = a.mul_(2)` binds what is read later
        return None
    assert isinstance(split.targets[0], ast.Tuple)
    targets = [t for t in split.targets[0].elts if isinstance(t, ast.Name)]
    pieces = [t.id for t in targets]
    if len(set(pieces)) < len(split.targets[0].elts) or any(site.state.binds.get(t.id) is not t for t in targets):
        return None
    if not all(_is_cut_by(site, obj, split.value) for name in pieces for obj in site.state.env[name].objs):
        return None
    live = site.live()
    names = [n for n, v in site.state.env.items() if (n in live or n in pieces) and is_same(v, site.value)]
    assert isinstance(place, ast.Name)
    if not set(names) & set(pieces):
        return None
    observers = site.watch(live - {*pieces, *names}).of(whole[1], AccessPath(whole[0]))
    if observers.blockers:
        return None
    joined = _joined(site, split.value, pieces)
    if joined is None:
        return None
    lines = [Binding((AccessPath(whole[0]), *observers.together), joined)]
    if live & set(pieces) and _is_written_again(site):
        lines.append(Binding(tuple(map(AccessPath, pieces)), ast.unparse(split.value), is_unpacked=True))
        piece = next(name for name in names if name in pieces)
        lines += [Binding((AccessPath(name),), piece) for name in names if name not in pieces and name in live]
    places = dict.fromkeys((place.id, *names))
    return PutBack(tuple(map(AccessPath, places)), (*lines, *replays(observers.views)), tuple(observers.assumptions))


def _is_cut_by(site: Site, obj: Obj, split: ast.expr) -> bool:
    """Tell whether a piece still looks into the memory that was split: `a.data = b` gives it other memory."""
    base = site.state.bases.get(obj)
    is_piece = base is not None and base.piece is not None and base.piece[0] is split
    return is_piece and obj not in site.run.reshaped


def _is_written_again(site: Site) -> bool:
    """Tell whether a write to the whole or to a piece may follow, for which they must share memory again."""
    roots, flow = site.roots(), site.run.flow
    captured = [v for n, v in site.state.env.items() if n in site.run.scope.captured]
    if any(site.state.roots(v.objs) & roots for v in captured):
        return True  # an inner function may write it when it is called
    spot = flow.spot(site.statement)
    if spot is None or spot.loops:
        return True
    written = [(w.statement, w.state.roots(w.value.objs)) for w in site.run.all_writes() if w is not site.write]
    given = site.run.kept_in.items()  # code out of sight may write what it is given
    return any(objs & roots and flow.may_follow(site.statement, s) for s, objs in (*written, *given))


def private_pieces(site: Site, text: Text) -> Aside | None:
    """Return the edit that makes each piece a tensor of its own; None where that could be noticed."""
    state = site.state
    makers = {maker_of(site, o) for o in site.value.objs if _is_cut_off(state, o)}
    bases = frozenset(b for o in site.value.objs if o in state.bases for b in state.bases[o].objs)
    split = next(iter(makers)) if len(makers) == 1 else None
    if not isinstance(split, ast.expr) or any(not _is_piece(site, o, split) for o in site.value.objs):
        return None
    if _is_made_in_rounds(site, split):
        return None
    roots = site.roots()
    if any(o.origin is not Origin.FRESH or o.overlapping for o in roots) or state.kept_by(roots) is not None:
        return None
    live = site.live()
    held = [v for name, v in state.env.items() if name in live or name.startswith(HIDDEN)]
    seen = [o for v in (*held, *state.heap.values()) for o in v.objs]
    written = [o for w in site.run.writes.values() for o in w.value.objs if w.state.may_share(w.value.objs, bases)]
    for obj in (*seen, *written):
        if state.may_share(frozenset((obj,)), bases) and not _is_piece(site, obj, split):
            return None
    edits = laid_out(text, _owning(site, split, text))
    return Aside(edits, Rewrite.PIECE_OWNED(name=site.name)) if edits else None


def _is_made_in_rounds(site: Site, split: ast.expr) -> bool:
    """Tell whether a comprehension splits a tensor in each of its rounds, which then share the pieces."""
    inner: ast.AST = split
    while not isinstance(inner, ast.stmt):
        outer = site.run.parents.get(inner)
        if outer is None:
            return False
        if isinstance(outer, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            if inner is not outer.generators[0]:
                return True
        inner = outer
    return False


def maker_of(site: Site, obj: Obj) -> ast.AST | None:
    """Return the node that made a piece: the splitting call, what takes the rows of a tensor, or their target."""
    base = site.state.bases[obj]
    if base.piece is not None and isinstance(base.piece[0], ast.AST):
        return base.piece[0]
    key = site.run.names.key_of(obj)
    return key[0] if isinstance(key, tuple) and isinstance(key[0], ast.AST) else None


def _owning(site: Site, split: ast.expr, text: Text) -> tuple[Edit, ...]:
    """Return the edits that clone each piece: `[row.clone() for row in y]` for `list(y)`."""
    nodes = list(own_nodes(site.run.scope.node))
    start, end = text.span(split)
    listed = taken_rows(site, split)
    if listed is not None:
        generator = f"row.clone() for row in {text.slice(listed)}"
        return (Edit(start, end, f"[{generator}]" if called(split) == "list" else f"tuple({generator})"),)
    for node in nodes:
        if isinstance(node, ast.ListComp) and any(g.iter is split for g in node.generators):
            element = text.span(node.elt)[1]
            return (Edit(element, element, ".clone()"),) if gives_rows(node) else ()
    is_split = isinstance(split, ast.Call) and isinstance(split.func, ast.Attribute)
    if not is_split or split.func.attr not in members.JOINED_BY:  # type: ignore[attr-defined]
        return ()
    first, last = ("", "") if any(_collects(node, split) for node in nodes) else ("tuple(", ")")
    return Edit(start, start, f"{first}part.clone() for part in "), Edit(end, end, last)


def taken_rows(site: Site, node: ast.AST) -> ast.expr | None:
    """Return the tensor whose rows `list(y)` or `tuple(y)` takes."""
    if not isinstance(node, ast.Call) or called(node) not in ("list", "tuple") or node.keywords or len(node.args) != 1:
        return None
    value = site.run.values.get(node.args[0])
    return node.args[0] if value is not None and value.is_tensor and not value.likely else None


def called(node: ast.expr) -> str | None:
    """Return the name of the function that an expression calls."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def gives_rows(node: ast.ListComp) -> bool:
    """Tell whether a comprehension lists the rows themselves: `[row for row in y]`."""
    (first, *others) = node.generators
    is_plain = isinstance(node.elt, ast.Name) and isinstance(first.target, ast.Name) and not first.is_async
    return is_plain and not others and node.elt.id == first.target.id  # type: ignore[attr-defined]


def _collects(node: ast.AST, split: ast.expr) -> bool:
    """Tell whether a node is `list(...)` or `tuple(...)` of the split."""
    is_call = isinstance(node, ast.Call) and called(node) in ("list", "tuple")
    return is_call and node.args == [split] and not node.keywords  # type: ignore[attr-defined]


def _is_cut_off(state: Facts, obj: Obj) -> bool:
    """Tell whether an object is an output of a split, or a row that torch forbids writing."""
    base = state.bases.get(obj)
    return base is not None and (base.piece is not None or base.forbidden)


def _is_piece(site: Site, obj: Obj, split: ast.expr) -> bool:
    """Tell whether an object is one of the outputs of a split, or a view of one."""
    state = site.state
    return any(_is_cut_off(state, o) and maker_of(site, o) is split for o in state.bases.roots(obj))


def _split_of(site: Site, place: ast.expr) -> ast.Assign | None:
    """Return the statement `a, b = y.chunk(2)` that made the written piece."""
    if not isinstance(place, ast.Name) or not isinstance(site.value.identity, Obj):
        return None
    held = site.state.env.get(place.id)
    if held is None or held.objs != {held.identity}:
        return None
    (obj,) = held.objs
    base = site.state.bases.get(obj)
    if base is None or base.piece is None:
        return None
    for node in own_nodes(site.run.scope.node):
        if isinstance(node, ast.Assign) and node.value is base.piece[0] and len(node.targets) == 1:
            return node if isinstance(node.targets[0], ast.Tuple) else None
    return None


def _whole(site: Site, split: ast.expr) -> tuple[str, Value] | None:
    """Return the name and the value of the tensor that was split, if the name still holds that tensor."""
    if not isinstance(split, ast.Call) or not isinstance(split.func, ast.Attribute):
        return None
    tensor = next(iter(operands(site.run, split) or ()), None)
    if not isinstance(tensor, ast.Name):
        return None
    then, now = site.run.values.get(tensor), site.state.env.get(tensor.id)
    if then is None or now is None or not isinstance(now.identity, Obj) or now.identity != then.identity:
        return None
    if now.objs & site.run.reshaped:  # the same object, but maybe with other memory
        return None
    if _is_order_seen(site):
        return None
    others = [n for a in (*split.args, *(k.value for k in split.keywords)) for n in ast.walk(a) if a is not tensor]
    for other in others:
        if isinstance(other, ast.Call) or (isinstance(other, ast.Name) and not _is_bound_once(site.run, other.id)):
            return None
    return tensor.id, now


def _is_bound_once(run: Run, name: str) -> bool:
    """Tell whether the scope assigns the name in one place only, so that all its uses are uses of one value."""
    return len(run.program.module.bindings(run.scope).sources.get(name, ())) == 1


def _is_order_seen(site: Site) -> bool:
    """Tell whether the order of the elements in memory may matter, which differs in a tensor that is put together.

    A tensor that is transposed and transposed back supports `view`; put together in between, it may not.
    """
    attributes = {node.attr for node in site.run.scope.of(ast.Attribute)}
    is_permuted = not members.PERMUTING.isdisjoint(attributes)
    return is_permuted and any(map(site.program.module.reads_of, members.RESTRIDING))


def _joined(site: Site, split: ast.expr, pieces: list[str]) -> str | None:
    """Return the source that joins the pieces: `torch.cat([a, b], dim=1)`."""
    assert isinstance(split, ast.Call)
    assert isinstance(split.func, ast.Attribute)
    qualified = members.JOINED_BY.get(split.func.attr)
    written = site.program.module.name_for(site.run.scope, qualified) if qualified is not None else None
    if written is None:
        return None
    arguments = operands(site.run, split)
    if arguments is None or any(k.arg is None for k in split.keywords):
        return None
    position = 1 if split.func.attr == "unbind" else 2
    keyword = next((k.value for k in split.keywords if k.arg == "dim"), None)
    dimension = keyword if keyword is not None else arguments[position] if position < len(arguments) else None
    if dimension is None:
        return f"{written}([{', '.join(pieces)}])"
    return f"{written}([{', '.join(pieces)}], dim={ast.unparse(dimension)})"
