"""Tells how the code in sight enters a function while autograd records: with which constants, and on which objects.

def scaled(x, inplace=False):                       class Block(nn.Module):
    if inplace:         no call leads here              def __init__(self, dim, inplace=False): ...
        return x.mul_(2)
    return x * 2                                    Block(8)        so its `self.inplace` is False

scaled(net(x))

Where no call is in sight, or one that passes what isn't seen, anything that the signature allows may be passed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.refs import Class, Function, Instance
from unplace.analysis.domain.values import MODULE, Value
from unplace.analysis.domain.variants import GENERAL, Variant
from unplace.analysis.interpret import specializing
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.project.callers import callers_in_sight, is_value
from unplace.analysis.project.calling import names_of
from unplace.analysis.project.module import home
from unplace.analysis.project.program import Program
from unplace.analysis.project.users import users_of
from unplace.analysis.syntax.classes import is_static
from unplace.analysis.syntax.constructors import own_constructor
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope

_AS_IT_IS = frozenset([GENERAL])


def is_unrecorded(program: Program, scope: Scope, node: ast.AST) -> bool:
    """Tell whether no call in sight leads to a node of a function while autograd records for training."""
    own = program.home_of(scope)
    runs = (own.run(scope, variant) for variant in entries(own, scope))
    return not any(run is None or any(part in run.values for part in walk(node)) for run in runs)


def entries(program: Program, scope: Scope) -> frozenset[Variant]:
    """Return the variants of a function of the program that the code in sight runs while autograd records."""
    return program.answer_for_now(("entries", scope), lambda: _entries(program, scope), frozenset())


def _entries(program: Program, scope: Scope) -> frozenset[Variant]:
    if scope.parent is None or scope.is_class:
        return _AS_IT_IS
    found: set[Variant] = set()
    is_called = False
    for caller in callers_in_sight(program, scope):
        is_called = True
        for variant in entries(caller.program, caller.scope):
            found |= {given.variant for given in caller.given(variant) if given.record.is_trained}
    return frozenset(found) if is_called else frozenset(_out_of_sight(program, scope))


def _out_of_sight(program: Program, scope: Scope) -> Iterator[Variant]:
    """Iterate over the variants that calls out of sight may run: with defaults, on objects like those in sight."""
    if not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield GENERAL
        return
    function, owner = Function(scope), home(scope).class_of(scope)
    if owner is None or is_static(scope.node):
        is_open = is_value(program.module, frozenset([scope.name]))
        yield GENERAL if is_open else specializing.of_call(program, function, Arguments(), None)
        return
    for receiver in _objects(program, owner):
        yield specializing.of_call(program, function, Arguments(), Value(MODULE, ref=receiver))


def _objects(program: Program, owner: Class) -> Iterator[Instance]:
    """Iterate over the objects of a class that the code in sight makes; over one by its defaults if it makes none."""
    found: set[Instance] = set()
    init = own_constructor(owner)
    users = users_of(program, init) if init is not None else ()
    name = owner.node.name
    for user in (program, *(user.program for user in users)):
        names = names_of(user.module, name)
        if is_value(user.module, names):
            yield Instance(owner)
        for own in sorted(names):
            for caller, call in user.module.calls_named(own):
                made = user.estimate(caller, call).ref
                if isinstance(made, Instance) and owner in made.of.linearized():
                    found.add(made)
    yield from found or [Instance(owner, given=specializing.of_constructor(owner, Arguments()))]
