"""Copies on entry, for a write to an argument that can't be rewritten: the function works on its own copy.

    def f(x):                       def f(x):
        flat = x.view(-1)               x = x.clone()
        flat[:2] *= 2                   flat = x.view(-1)
                                        flat[:2] *= 2

The next round decides about the write, which nothing outside the function sees any more.
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.domain.values import TENSOR, Link, Obj
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.recording import may_keep_graph
from unplace.analysis.queries.purpose import is_named_in_place
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.catalogue import Assumption, Rewrite
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.reasons import Reason
from unplace.text.positions import Text
from unplace.torchapi import members
from unplace.transform.emit.layout import put_before
from unplace.transform.sites import Site
from unplace.transform.verdicts import Aside

_ASKING = frozenset(["getattr", "hasattr", "id", "vars"])


def own_copy(site: Site, text: Text) -> Aside | None:
    """Return the edit that copies the written arguments at the start of the function; None if that could be noticed."""
    function = site.run.scope.node
    owners = sorted(site.roots() - site.state.bases.keys())
    names = list(dict.fromkeys(o.parameter for o in owners if o.parameter is not None))
    if not names or not isinstance(function, ast.FunctionDef) or _is_seen_outside(site):
        return None
    is_returned = any(site.state.bases[obj].link is Link.CALL for obj in site.roots() & site.state.bases.keys())
    if is_named_in_place(function.name) or is_returned:  # what an unknown call returned is hardly the argument
        return None
    if not all(_is_copied(site, o) for o in owners if o.parameter is not None):
        return None
    assumptions: list[Reason] = []
    if may_keep_graph(site.run, site.write):
        assumptions += (Assumption.NO_GRAPH_WHERE_OFF(name=name) for name in names)
    for name in names:
        blockers, assumed = site.callers.sees(site.run.scope, name)
        if blockers or name in site.callers.returned(site.run.scope):
            return None
        assumptions += assumed
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1
    lines = [f"{name} = {name}.clone()" for name in names]
    edit = put_before(text, function.body[1] if is_docstring else first, lines)
    told = Rewrite.ARGUMENT_COPIED(names=" and ".join(f"`{name}`" for name in names))
    return Aside((edit,), told, tuple(assumptions))


def _is_seen_outside(site: Site) -> bool:
    """Tell whether the write is meant for the tensor itself: through `.data`, or into a tensor passed as `out=`."""
    return site.write.data is not None or site.write.kind is WriteKind.OUT


def _is_copied(site: Site, obj: Obj) -> bool:
    """Tell whether a parameter is certainly a tensor, and nothing reads an attribute that a copy doesn't share."""
    if obj.parameter is None or is_asked_of_itself(site, obj.parameter):
        return False
    read = site.run.names_of(obj)
    return bool(read) and all(v.must_be(TENSOR) and not v.likely for v in read)


def is_asked_of_itself(site: Site, name: str) -> bool:
    """Tell whether the function reads an attribute on a name that a copy doesn't share."""
    return name in _asked_of_itself(site.program.module, site.run.scope)


@once
def _asked_of_itself(module: ModuleIndex, scope: Scope) -> frozenset[str]:
    """Return the names on which a function reads attributes that a copy doesn't share."""
    asked: list[ast.expr] = [n.value for n in scope.of(ast.Attribute) if not _is_of_copies(n.attr)]
    for call in scope.of(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in _ASKING:
            asked += call.args[:1]
    return frozenset(node.id for node in asked if isinstance(node, ast.Name))


def _is_of_copies(attribute: str) -> bool:
    return attribute not in members.OF_ONE_OBJECT and torchapi.is_tensor_member(attribute)
