"""Tells how the code in sight enters a function while autograd records: with which flags, and on which objects.

def scaled(x, inplace=False):                       class Block(nn.Module):
    if inplace:         no call leads here              def __init__(self, dim, inplace=False): ...
        return x.mul_(2)
    return x * 2                                    Block(8)        so its `self.inplace` is False

scaled(net(x))

Only flags count: what is None by default, or a text, may be anything else in code out of sight. Where a call passes
what isn't seen, the flag may have any value; without a call, it has that of its default.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter

from unplace.analysis.domain.gradmode import Record
from unplace.analysis.domain.refs import GENERAL, Class, Function, Instance, Variant
from unplace.analysis.domain.values import MODULE, Value
from unplace.analysis.interpret import specializing
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.project.callers import Caller, callers_in_sight, is_value
from unplace.analysis.project.calling import names_of
from unplace.analysis.project.module import home
from unplace.analysis.project.program import Program
from unplace.analysis.project.users import users_of
from unplace.analysis.syntax.classes import is_static
from unplace.analysis.syntax.constructors import own_constructor
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope

_AS_IT_IS = frozenset([GENERAL])
_RECORDS = attrgetter("records")
_IS_TRAINED = attrgetter("is_trained")
_MOST_VARIANTS = 8
"""Maximum number of variants of a function that are told apart."""

_MOST_CALLERS = 100
"""Maximum number of functions among the callers, direct or further out, that are looked at."""


def is_unrecorded(program: Program, scope: Scope, node: ast.AST) -> bool:
    """Tell whether no call in sight leads to a node of a function while autograd records for training."""
    own = program.home_of(scope)
    runs = (own.run(scope, variant) for variant in entries(own, scope))
    return not any(run is None or any(part in run.values for part in walk(node)) for run in runs)


def is_kept_from_autograd(program: Program, scope: Scope) -> bool:
    """Tell whether all calls of a function, or of its callers, run where autograd records nothing."""
    own = program.home_of(scope)
    return not own.answer_for_now(("recorded", scope), lambda: _entries(own, scope, _RECORDS), _AS_IT_IS)


def entries(program: Program, scope: Scope) -> frozenset[Variant]:
    """Return the variants of a function of the program that the code in sight runs while autograd records."""
    question = "entries", scope
    return program.answer_for_now(question, lambda: _entries(program, scope, _IS_TRAINED), frozenset())


def _entries(program: Program, start: Scope, counts: Callable[[Record], bool]) -> frozenset[Variant]:
    callers: dict[Scope, list[Caller]] = {}
    found: dict[Scope, frozenset[Variant]] = {}
    todo = [(program, start)]
    while todo:
        own, scope = todo.pop()
        if scope in callers:
            continue
        if len(callers) == _MOST_CALLERS:
            return _AS_IT_IS
        is_function = scope.parent is not None and not scope.is_class
        callers[scope] = [*callers_in_sight(own, scope)] if is_function else []
        if not callers[scope]:
            found[scope] = frozenset(_out_of_sight(own, scope)) if is_function else _AS_IT_IS
        todo += [(caller.program, caller.scope) for caller in callers[scope]]
    while (more := _entered(callers, found, counts)) != found:
        found = more
    return found.get(start, frozenset())


def _entered(
    callers: Mapping[Scope, Sequence[Caller]],
    known: Mapping[Scope, frozenset[Variant]],
    counts: Callable[[Record], bool],
) -> dict[Scope, frozenset[Variant]]:
    """Return the variants that are known to be run, and those that these run in a grad mode that counts."""
    found = dict(known)
    for scope, calling in callers.items():
        for caller in calling:
            given = (g for variant in known.get(caller.scope, ()) for g in caller.given(variant))
            variants = frozenset(each.variant for each in given if counts(each.record))
            entered = found.get(scope, frozenset()) | variants
            is_any = GENERAL in entered or len(entered) > _MOST_VARIANTS
            found[scope] = _AS_IT_IS if is_any else entered
    return found


def _out_of_sight(program: Program, scope: Scope) -> Iterator[Variant]:
    """Iterate over the variants that calls out of sight may run: with defaults, on objects like those in sight."""
    if not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield GENERAL
        return
    function, owner = Function(scope), home(scope).class_of(scope)
    if owner is None or is_static(scope.node):
        is_open = is_value(program.module, frozenset([scope.name]))
        receivers: list[Value | None] = [] if is_open else [None]
    else:
        receivers = [Value(MODULE, ref=each) for each in _objects(program, owner)]
    for receiver in receivers:
        variant = specializing.of_call(program, function, Arguments(), receiver)
        yield specializing.with_flags(variant, function, Arguments(), receiver, GENERAL)
    if not receivers:
        yield GENERAL


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
