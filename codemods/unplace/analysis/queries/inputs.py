"""Finds reads of the input of a module, behind calls that may run it by their names alone.

self.conv, self.act = nn.Linear(2, 2), nn.ReLU(inplace=True)
...
z = self.act(y)
return z + y
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from unplace import torchapi
from unplace.analysis.domain.refs import Bound, Instance, TorchModule, alternatives
from unplace.analysis.domain.values import TENSOR, UNKNOWN, Objs, Origin
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.module import ModuleIndex, parents_in
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.bindings import assigned_names, last_name
from unplace.analysis.syntax.nodes import walk
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.flows import flows
from unplace.analysis.types.propagation import FACTORY, INSTANCE, Holders
from unplace.diagnostics.forms import PARTIAL


class ReadBehind(NamedTuple):
    """A name that is read after a call which may overwrite it.

    `is_within`: the call may run a module only among others, so that it may get what another has made.
    """

    name: str
    call: ast.Call
    is_within: bool = False


def read_after_calls(program: Program, made: Iterable[ast.Call]) -> ReadBehind | None:
    """Return a name that is read after a call which may run a module that is `made` here; one that surely may first."""
    own = frozenset(made)
    calls = _calls_that_run(program.module, own)
    found = ((name, scope, call) for scope, call in calls if (name := read_after(program, scope, call)) is not None)
    behind = [ReadBehind(name, call, _runs_others(program, scope, call, own)) for name, scope, call in found]
    return min(behind, key=lambda read: read.is_within, default=None)


def _runs_others(program: Program, scope: Scope, call: ast.Call, made: Collection[ast.Call]) -> bool:
    """Tell whether a call runs other modules than those `made`: containers, or objects of classes of the run."""
    refs = alternatives(program.estimate(scope, call.func).ref)
    return bool(refs) and all(_is_other(ref, made) for ref in refs)


def _is_other(ref: object, made: Collection[ast.Call]) -> bool:
    if isinstance(ref, TorchModule):
        return ref.inplace is False and ref.call not in made
    return isinstance(ref, Instance | Bound)


def thrown_away_call(program: Program, made: Collection[ast.Call], known: Collection[ast.AST]) -> ast.Call | None:
    """Return a call that may run a module that is `made` here and throws its result away, other than those `known`.

    Such a call stands there for what it does to its input: `self.drop(packed.data)`.
    """
    module = program.module
    calls = _calls_that_run(module, made)
    thrown = (c for s, c in calls if c not in known and isinstance(parents_in(module, s).get(c), ast.Expr))
    return next(thrown, None)


def _calls_that_run(module: ModuleIndex, made: Collection[ast.Call]) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls of a file that may run a module which is `made` there, or a function bound there."""
    bound = {call for call in made if module.qualified(module.scopes.around(call), call.func) == PARTIAL}
    marks = {call: INSTANCE | FACTORY if call in bound else INSTANCE for call in made}
    holders = Holders(flows(module), marks, {})
    for scope in module.scopes.by_node.values():
        yield from ((scope, call) for call in scope.of(ast.Call) if holders.is_called(call.func))


def switched(program: Program, scope: Scope, switch: ast.AST) -> list[ast.Call]:
    """Return the calls that make modules which `m.inplace = True` may have put to work in place."""
    classes = _tested_for(program.module, scope, switch)
    made: list[ast.Call] = []
    for maker in program.module.scopes.by_node.values():
        for call in maker.of(ast.Call):
            qualified = program.module.qualified(maker, call.func)
            of = torchapi.module(qualified) if qualified is not None else None
            if of is not None and of.inplace is not None and (not classes or qualified in classes):
                made.append(call)
    return made


def _tested_for(module: ModuleIndex, scope: Scope, node: ast.AST) -> set[str | None]:
    """Return the classes in the tests around a statement: those of `if isinstance(m, (nn.ReLU, nn.ELU))`."""
    parents, found = parents_in(module, scope), set[str | None]()
    around = parents.get(node)
    while around is not None:
        for part in walk(around.test) if isinstance(around, ast.If) else ():
            if isinstance(part, ast.Call) and last_name(part.func) == "isinstance" and len(part.args) == 2:
                of = part.args[1]
                found |= {module.qualified(scope, e) for e in (of.elts if isinstance(of, ast.Tuple) else [of])}
        around = parents.get(around)
    return found


def read_after_unpacked(program: Program, options: ast.Dict) -> ReadBehind | None:
    """Return a name that is read after a call that gets these keywords, or that runs what such a call makes."""
    module = program.module
    for scope in module.scopes.by_node.values():
        for call in scope.of(ast.Call):
            if not any(k.arg is None and _holds(module, scope, k.value, options) for k in call.keywords):
                continue
            qualified = module.qualified(scope, call.func)
            if qualified is not None and torchapi.module(qualified) is not None:
                return read_after_calls(program, [call])
            name = read_after(program, scope, call)
            if name is not None:
                return ReadBehind(name, call)
    return None


def _holds(module: ModuleIndex, scope: Scope, value: ast.expr, display: ast.Dict) -> bool:
    """Tell whether an expression is a display, or a name that may be bound to it."""
    if not isinstance(value, ast.Name):
        return value is display
    owner = module.scopes.owner(scope, value.id)
    return owner is not None and display in module.bindings(owner).sources.get(value.id, ())


def read_after(program: Program, scope: Scope, call: ast.Call) -> str | None:
    """Return the name that a call gets as its first argument, or another name of that tensor, read after the call."""
    given, run = call.args[0] if call.args else None, program.run(scope)
    if not isinstance(given, ast.Name) or run is None or isinstance(scope.node, ast.Lambda):
        return None
    value, statement = run.values.get(given), run.statement_of(call)
    if value is not None and not value.kinds & (TENSOR | UNKNOWN):
        return None
    made = assigned_names(statement) if isinstance(statement, ast.Assign) else set()
    is_live = given.id in run.liveness.live_after(statement) - made
    if is_live or _is_read_behind(statement, call, given.id):
        return given.id
    if value is None or not value.is_tensor or not _is_made_alone(value.objs):
        return None
    return _other_name(run, value.objs, call, {given.id, *made})


def _other_name(run: Run, objs: Objs, call: ast.Call, own: set[str]) -> str | None:
    """Return a further name of a tensor that is read behind a call: `k` in `h = k; y = act(h); k.cos()`."""
    names = ((node, value) for node, value in run.values.items() if isinstance(node, ast.Name) and node.id not in own)
    return next((name.id for name, value in names if value.objs == objs and _is_behind(name, call)), None)


def _is_made_alone(objs: Objs) -> bool:
    """Tell whether objects are one tensor that the function has made."""
    return len(objs) == 1 and all(obj.origin is Origin.FRESH for obj in objs)


def is_read_once(program: Program, scope: Scope, call: ast.AST) -> bool:
    """Tell whether nothing but a call reads its first argument: a new tensor, in a name that is read only there."""
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    run = program.run(scope)
    value = run.values.get(given) if run is not None and given is not None else None
    if run is None or value is None or not isinstance(given, ast.Name) or not value.objs or not value.is_tensor:
        return False
    if given.id not in scope.bound or given.id in scope.captured | scope.global_names | scope.nonlocal_names:
        return False
    reads = [n for n in scope.names if n.id == given.id and isinstance(n.ctx, ast.Load)]
    spot = run.flow.spot(run.statement_of(call))
    states = [state for _, state in program.exits(scope)]
    others = {obj for state in states for held in state.heap.values() for obj in held.objs}
    others |= {obj for state in states for obj in state.bases}
    others |= {obj for node, held in run.values.items() if _names_other(node, given) for obj in held.objs}
    is_new = all(obj.origin is Origin.FRESH and obj not in others for obj in value.objs)
    return reads == [given] and spot is not None and not spot.loops and is_new


def _names_other(node: ast.expr, given: ast.Name) -> bool:
    """Tell whether an expression reads a place other than a name: `k` in `h = k = self.lin(x)`, for `h`."""
    is_place = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    return is_place and not (isinstance(node, ast.Name) and node.id == given.id)


def _is_read_behind(statement: ast.stmt, call: ast.Call, name: str) -> bool:
    """Tell whether a statement reads a name to the right of a call in it."""
    reads = (n for n in walk(statement) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))
    return any(_is_behind(read, call) for read in reads)


def _is_behind(name: ast.Name, call: ast.Call) -> bool:
    """Tell whether a name stands to the right of a call, or below it."""
    return (name.lineno, name.col_offset) >= (call.end_lineno or call.lineno, call.end_col_offset or 0)
