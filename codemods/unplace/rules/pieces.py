"""Outputs of a splitting operation: torch forbids writing them, so the whole is put together again from its pieces.

    a, b = y.chunk(2, dim=1)
    b *= scale

    a, b = y.chunk(2, dim=1)
    b = b * scale
    y = torch.cat([a, b], dim=1)
    a, b = y.chunk(2, dim=1)

The last line stays away where no piece is read any more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from unplace.analysis.bindings import own_nodes
from unplace.analysis.observers import Observers
from unplace.analysis.stores import is_bound_once
from unplace.analysis.values import Obj, Value
from unplace.sites import Site

_JOINS = {"chunk": "torch.cat", "split": "torch.cat", "tensor_split": "torch.cat", "unbind": "torch.stack"}


@dataclass(frozen=True, slots=True)
class PutBack:
    """The lines behind the write that make the whole from its pieces, and what they rest on."""

    lines: tuple[str, ...]
    assumptions: tuple[str, ...]


def put_back(site: Site, place: ast.expr) -> PutBack | None:
    """How the tensor is made again of which a piece is written, or None where the pieces don't have names."""
    split = _split_of(site, place)
    whole = _whole(site, split.value) if split is not None else None
    if split is None or whole is None:
        return None
    assert isinstance(split.targets[0], ast.Tuple)
    targets = [t for t in split.targets[0].elts if isinstance(t, ast.Name)]
    pieces = [t.id for t in targets]
    if len(set(pieces)) < len(split.targets[0].elts) or any(site.state.binds.get(t.id) is not t for t in targets):
        return None
    live = site.live()
    observers = site.watch(live - set(pieces)).of(whole[1], whole[0])
    if observers.blockers:
        return None
    joined = _joined(site, split.value, pieces)
    if joined is None:
        return None
    lines = [f"{' = '.join((whole[0], *observers.together))} = {joined}"]
    if live & set(pieces):
        lines.append(f"{', '.join(pieces)} = {ast.unparse(split.value)}")
    return PutBack((*lines, *_again(observers)), tuple(observers.assumptions))


def _again(observers: Observers) -> Iterator[str]:
    for view in observers.views:
        yield f"{view.name} = {ast.unparse(view.definition.expression)}"


def _split_of(site: Site, place: ast.expr) -> ast.Assign | None:
    """The statement `a, b = y.chunk(2)` that made the written piece."""
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
    """The name of the tensor that was split, as long as it still is that tensor."""
    if not isinstance(split, ast.Call) or not isinstance(split.func, ast.Attribute):
        return None
    receiver = site.run.values.get(split.func.value)
    is_method = receiver is not None and receiver.is_tensor
    tensor = split.func.value if is_method else split.args[0] if split.args else None
    if not isinstance(tensor, ast.Name):
        return None
    then, now = site.run.values.get(tensor), site.state.env.get(tensor.id)
    if then is None or now is None or not isinstance(now.identity, Obj) or now.identity != then.identity:
        return None
    others = [n for a in (*split.args, *(k.value for k in split.keywords)) for n in ast.walk(a) if a is not tensor]
    for other in others:
        if isinstance(other, ast.Call) or (isinstance(other, ast.Name) and not is_bound_once(site.run, other.id)):
            return None
    return tensor.id, now


def _joined(site: Site, split: ast.expr, pieces: list[str]) -> str | None:
    """`torch.cat([a, b], dim=1)`."""
    assert isinstance(split, ast.Call)
    assert isinstance(split.func, ast.Attribute)
    qualified = _JOINS.get(split.func.attr)
    written = site.program.name_for(site.run.scope, qualified) if qualified is not None else None
    if written is None:
        return None
    receiver = site.run.values.get(split.func.value)
    arguments = split.args if receiver is not None and receiver.is_tensor else split.args[1:]
    position = 0 if split.func.attr == "unbind" else 1
    keyword = next((k.value for k in split.keywords if k.arg == "dim"), None)
    dimension = keyword if keyword is not None else arguments[position] if position < len(arguments) else None
    if any(k.arg is None for k in split.keywords) or any(isinstance(a, ast.Starred) for a in split.args):
        return None
    if dimension is None:
        return f"{written}([{', '.join(pieces)}])"
    return f"{written}([{', '.join(pieces)}], dim={ast.unparse(dimension)})"
