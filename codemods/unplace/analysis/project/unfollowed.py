"""Finds uses of the file's own functions that can't be resolved: a caller behind one may read the arguments later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from unplace import torchapi
from unplace.analysis.domain.refs import Choice, Class, Function, Instance, alternatives
from unplace.analysis.domain.values import CALLABLE, MODULE, Value
from unplace.analysis.interpret.run import Analysis, Run
from unplace.analysis.interpret.writes import Unfollowed
from unplace.analysis.project.calling import calls_of_objects, function_of, is_object_of, may_call
from unplace.analysis.project.exports import imported_from_run
from unplace.analysis.project.module import ModuleIndex, once, parents_in
from unplace.analysis.project.vmapped import mapped
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.nodes import children, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for
from unplace.torchapi import modules, transforms

_RUNNING = frozenset(name.rpartition(".")[2] for name in transforms.RUNNING)
_CACHING = ("functools.lru_cache", "functools.cache")
_COLLECTIONS = ("ModuleList", "ModuleDict", "dict", "enumerate", "list", "reversed", "tuple", "zip")


class OwnCalls:
    """Recognises calls that may reach functions of the file, or of a file that it imports, by names alone."""

    def __init__(self, module: ModuleIndex) -> None:
        """Index the names of the file's functions and classes."""
        scopes = module.scopes.by_node.values()
        self._module = module
        self._names = {scope.name for scope in scopes} | {owner.node.name for owner in module.classes.values()}
        for scope in {s.parent for s in scopes if isinstance(s.node, ast.Lambda) and s.parent is not None}:
            sources = module.bindings(scope).sources
            self._names |= {n for n, found in sources.items() if any(isinstance(s, ast.Lambda) for s in found)}
        self._imported = imported_from_run(module)
        self._has_objects = any(map(_is_called_itself, module.classes.values()))

    def may_reach(self, scope: Scope, call: ast.Call) -> bool:
        """Tell whether a call in a scope may reach a function of the run.

        Whatever isn't known by its name may be an object of a class of the file, or run one: `checkpoint(block, x)`. A
        method that keeps its arguments, such as `append`, runs none unless the file has one of that name.
        """
        name = last_name(call.func)
        if name in self._names:
            return True
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self._imported:
            return True
        if name in modules.STORING:
            return False
        is_known = name not in _RUNNING and self._module.qualified(scope, call.func, with_builtins=True) is not None
        return self._has_objects and not is_known


@once
def own_calls(module: ModuleIndex) -> OwnCalls:
    """Return what recognises the calls that may reach the functions of a file."""
    return OwnCalls(module)


@dataclass(frozen=True, slots=True)
class Passing:
    """A call that may pass these values to a parameter; without a `run`, nothing is known of the code around it."""

    call: ast.Call
    run: Run | None = None
    unfollowed: Unfollowed | None = None
    values: tuple[Value, ...] = ()


def calls_that_may_hand(program: Analysis, scope: Scope, parameter: str) -> Iterator[Passing]:
    """Iterate over the calls that may reach a function but can't be resolved, with the values that they may pass."""
    for caller, call, is_unbound in _possible_calls(program, scope):
        yield from passings(program, scope, parameter, caller, call, is_unbound=is_unbound)


def passings(
    program: Analysis, scope: Scope, parameter: str, caller: Scope, call: ast.Call, *, is_unbound: bool = False
) -> Iterator[Passing]:
    """Iterate over what a call may pass to a parameter, once: nothing if the call was followed."""
    run = program.run(caller)
    found = run.unfollowed.get(call) if run is not None else None
    if run is None:
        yield Passing(call)
    elif found is not None:
        argument = argument_for(scope, call, parameter) if not is_unbound else None
        exact = found.values.get(argument) if argument is not None else None
        values = [exact] if exact is not None else list(found.values.values())
        yield Passing(call, run, found, tuple(v for v in values if v.objs and not v.must_be(CALLABLE | MODULE)))


def line_of_value(program: Analysis, scope: Scope) -> int | None:
    """Return the line in which the file uses a function as a value rather than calling it; None where it never does."""
    if isinstance(scope.node, ast.Lambda) and name_of(program, scope) == scope.name:
        assert scope.parent is not None
        outer = parents_in(program.module, scope.parent).get(scope.node)
        is_called = isinstance(outer, ast.Call) and outer.func is scope.node
        return None if is_called or scope.node in hooks(program.module) else scope.node.lineno
    if scope.name in OF_INSTANCES:
        transformed = [call.lineno for call in _transforms(program, scope)]
        if transformed:
            return transformed[0]
    name = name_of(program, scope)
    called = {call.func for _, call in program.module.calls_named(name)} | hooks(program.module)
    uses = _attributes if scope.enclosing_class is not None else _names
    found = (node for node in uses(program, scope, name) if node not in called) if program.module.reads_of(name) else ()
    return next((node.lineno for node in found), None)


def _transforms(program: Analysis, scope: Scope) -> Iterator[ast.Call]:
    """Iterate over the calls that make a function of objects whose calls run a method: `torch.vmap(Layer())`."""
    module = program.module
    for user in module.scopes.by_node.values():
        for call in user.of(ast.Call):
            if call.args and module.qualified(user, call.func) in transforms.PASSING:
                found = mapped(program, user, call.args[0])
                if found is not None and found.scope is scope:
                    yield call


@once
def hooks(module: ModuleIndex) -> frozenset[ast.expr]:
    """Return the expressions that are registered as hooks, which torch calls for their return value."""
    sites = (module.calls_named(name) for name in torchapi.HOOKS)
    return frozenset(argument for found in sites for _, call in found for argument in call.args)


@once
def has_forward_hooks(module: ModuleIndex) -> bool:
    """Tell whether a file registers hooks that get what modules are called with, and what they return."""
    return any(module.calls_named(name) for name in torchapi.FORWARD_HOOKS)


def has_keeping_hooks(program: Analysis) -> bool:
    """Tell whether a hook of the file may keep what modules are called with or return: its code doesn't rule it out."""
    if "keeping hooks" not in program.answers:
        program.answers["keeping hooks"] = True  # a hook that runs a module with hooks asks for itself
        calls = (each for name in torchapi.FORWARD_HOOKS for each in program.module.calls_named(name))
        program.answers["keeping hooks"] = any(not _only_looks(program, *each) for each in calls)
    return bool(program.answers["keeping hooks"])


def _only_looks(program: Analysis, scope: Scope, call: ast.Call) -> bool:
    """Tell whether the hook that a call registers keeps nothing that it gets."""
    hook = call.args[0] if call.args else None
    if isinstance(hook, ast.Lambda):
        functions = [Function(program.module.scopes.by_node[hook])]
    else:
        value = program.estimate(scope, hook) if hook is not None else None
        found = function_of(program, value.ref) if value is not None else None
        functions = [found] if found is not None else []
    effects = [program.summary(function) for function in functions]
    return bool(effects) and not any(e is None or e.returned is None or e.keeps or e.puts or e.leaves for e in effects)


@once
def cached_functions(module: ModuleIndex) -> frozenset[str]:
    """Return the names of the functions that give the same object again: `@lru_cache`, `@cache`."""
    return frozenset(
        scope.name
        for scope in module.scopes.by_node.values()
        for decorator in getattr(scope.node, "decorator_list", ())
        if module.qualified(scope, getattr(decorator, "func", decorator)) in _CACHING
    )


def _names(program: Analysis, scope: Scope, name: str) -> Iterator[ast.expr]:
    """Iterate over the reads of a function's name, except where an unused function returns it to unseen code."""
    for user in program.module.scopes.by_node.values():
        if program.module.scopes.owner(user, name) is not scope.parent:
            continue
        out = _returned(user) if not program.module.reads_of(user.name) else set()
        yield from (n for n in user.names if n.id == name and isinstance(n.ctx, ast.Load) and n not in out)


def _returned(scope: Scope) -> set[ast.AST]:
    """Return the expressions that a function returns as they are, alone or in a tuple."""
    values = [node.value for node in scope.of(ast.Return) if node.value is not None]
    return {part for value in values for part in (value.elts if isinstance(value, ast.Tuple) else [value])}


def _attributes(program: Analysis, scope: Scope, name: str) -> Iterator[ast.expr]:
    """Iterate over the lookups of a method on expressions known to be objects of its class, or of a related class."""
    owner = program.module.class_of(scope)
    for user in program.module.scopes.by_node.values() if owner is not None else ():
        for node in user.nodes:
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
                if owner is not None and is_object_of(program, user, node.value, owner):
                    yield node


def name_of(program: Analysis, scope: Scope) -> str:
    """Return the name of a function; for a lambda, the name that only it is assigned to."""
    if not isinstance(scope.node, ast.Lambda):
        return scope.name
    outer = program.module.bindings(scope.parent).sources if scope.parent is not None else {}
    return next((name for name, sources in outer.items() if sources == [scope.node]), scope.name)


def _possible_calls(program: Analysis, scope: Scope) -> Iterator[tuple[Scope, ast.Call, bool]]:
    """Iterate over the calls that may reach a function, each with its scope.

    The third item tells whether the receiver is among the arguments: `Net.step(net, x)`.
    """
    owner = program.module.class_of(scope)
    if owner is not None and scope.name == "__init__":
        for cls in (owner, *program.descendants(owner)):
            yield from ((caller, call, False) for caller, call in program.module.calls_named(cls.node.name))
    if owner is not None and scope.name in OF_INSTANCES:
        calls = calls_of_objects(program, owner)
        yield from ((caller, c, False) for caller, c in calls if _may_be_object(program, caller, c.func, owner))
        yield from ((caller, call, True) for caller, call in _running(program, owner))
    for caller, call in program.module.calls_named(name_of(program, scope)):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) and owner is not None else None
        refs = alternatives(program.estimate(caller, receiver).ref) if receiver is not None else ()
        is_unbound = any(isinstance(ref, Class) for ref in refs)
        if may_call(program, scope, caller, call, is_exact=not is_unbound):
            yield caller, call, is_unbound


def _running(program: Analysis, owner: Class) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls of functions of torch that call an object of a class: `checkpoint(block, x)`."""
    for name in sorted(_RUNNING):
        for caller, call in program.module.calls_named(name):
            if any(_may_be_object(program, caller, argument, owner) for argument in call.args):
                yield caller, call


def _may_be_object(program: Analysis, caller: Scope, callee: ast.expr, owner: Class) -> bool:
    """Tell whether a callee is seen to hold an object of a class at times, in a name, attribute or element."""
    ref = program.estimate(caller, callee).ref
    if is_object_of(program, caller, callee, owner) or not (ref is None or (isinstance(ref, Choice) and ref.is_open)):
        return is_object_of(program, caller, callee, owner)
    while isinstance(callee, ast.Subscript):
        callee = callee.value
    return any(_shows(program, *made, owner) for made in _origins(program, caller, callee, loops=True))


def _origins(
    program: Analysis, scope: Scope, node: ast.expr, *, loops: bool = False
) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the expressions assigned to a name or attribute, with their scopes.

    With `loops`, the iterables of the loops that bind the name are included.
    """
    if isinstance(node, ast.Attribute):
        ref = program.estimate(scope, node.value).ref
        for cls in ref.of.linearized() if isinstance(ref, Instance) else ():
            yield from ((m, source) for m, source in cls.assigned.get(node.attr, ()) if source is not None)
    if not isinstance(node, ast.Name):
        return
    owner = program.module.scopes.owner(scope, node.id) or scope
    for source in program.module.bindings(owner).sources.get(node.id, ()):
        if isinstance(source, ast.expr):
            yield owner, source
    for loop in owner.nodes if loops else ():
        if isinstance(loop, ast.For | ast.comprehension) and _binds(loop.target, node.id):
            for part in walk(loop.iter):
                if isinstance(part, ast.Name | ast.Attribute):
                    yield from _origins(program, owner, part)
            yield owner, loop.iter


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(target))


def _shows(program: Analysis, scope: Scope, node: ast.AST, owner: Class) -> bool:
    """Tell whether an expression creates or names an object of a class, or a collection with one."""
    if isinstance(node, ast.Call | ast.Name) and is_object_of(program, scope, node, owner):
        return True
    if isinstance(node, ast.Call):
        return last_name(node.func) in _COLLECTIONS and any(_shows(program, scope, a, owner) for a in node.args)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return _shows(program, scope, node.elt, owner)
    is_built = isinstance(node, ast.IfExp | ast.BoolOp | ast.List | ast.Tuple | ast.Dict | ast.Starred)
    return is_built and any(_shows(program, scope, child, owner) for child in children(node))


def _is_called_itself(owner: Class) -> bool:
    """Tell whether calling an object of the class runs a function of the file."""
    return any(
        isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) and s.name in OF_INSTANCES for s in owner.node.body
    )
