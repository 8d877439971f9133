"""Executes a file: its own code, and the functions that train and that nothing in the file calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from unplace.analysis.domain.refs import Member
from unplace.analysis.project.exports import imported_from_run
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import FUNCTIONS, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.training.attributes import BACKWARDS
from unplace.analysis.training.execution import Execution
from unplace.analysis.training.trail import Trail
from unplace.analysis.training.values import Function, Given
from unplace.analysis.training.world import Backward, Frame, StoppedError, World
from unplace.torchapi import modules

_MOST_NODES = 60_000
"""The number of nodes that the ways through one file execute, all together."""

_MOST_OF_A_WAY = 20_000
_MOST_WAYS = 10


def ways(module: ModuleIndex, *, leave_trails: bool = False) -> Iterator[World]:
    """Iterate over the ways through a file: the plain one, and those that turn at one branch each."""
    elsewhere, read = _training_elsewhere(module)
    if not elsewhere and not any(map(module.calls_named, BACKWARDS)):
        return
    entries = _entries(module, elsewhere)
    first = _executed(module, entries, frozenset(), _MOST_OF_A_WAY, leave_trails)
    first.read |= read
    yield first
    left = _MOST_NODES - _MOST_OF_A_WAY
    for branch in list(first.met)[:_MOST_WAYS]:
        if left <= 0:
            return
        way = _executed(module, entries, frozenset((branch,)), min(left, _MOST_OF_A_WAY), leave_trails)
        left -= min(left, _MOST_OF_A_WAY) - max(way.budget, 0)
        yield way


def _executed(
    module: ModuleIndex, entries: Sequence[Scope], turned: frozenset[ast.AST], budget: int, leaves_trail: bool
) -> World:
    """Return the world in which a file was executed in one way."""
    world = World(module, budget, turned, trail=Trail() if leaves_trail else None)
    execution = Execution(world)
    names = world.globals.setdefault(module, {})
    try:
        world.frames.append(Frame(module, module.tree, names))
        with _apart(world):
            execution.block(module.tree.body)
        for scope in entries:
            if scope.node not in world.executed:
                with _apart(world):
                    _enter(execution, module, scope)
    except StoppedError:
        world.is_incomplete = True
    return world


@contextmanager
def _apart(world: World) -> Iterator[None]:
    """Let an optimizer from elsewhere concern the backwards of what runs here, and no others."""
    begin, world.meets_unknown_step = len(world.ran), False
    yield
    for each in world.ran[begin:] if world.meets_unknown_step else ():
        if isinstance(each, Backward):
            each.is_shared = True


def _enter(execution: Execution, module: ModuleIndex, scope: Scope) -> None:
    """Execute a function with what isn't known, and a method with an object of its class."""
    assert isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef)
    owner = module.class_of(scope)
    receiver = execution.made(owner) if owner is not None and scope.node.args.args else None
    if receiver is not None and scope.node in execution.world.executed:  # by its constructor
        return
    execution.run(Function(scope.node, module, (), owner, receiver), Given(), None)


def _training_elsewhere(module: ModuleIndex) -> tuple[frozenset[str], frozenset[str]]:
    """Return the imported names of other files of the run that run backward, and the paths of these files."""
    if module.place is None or not any(map(module.calls_named, ("step", *modules.GIVING_PARAMETERS))):
        return frozenset(), frozenset()
    names, paths = set[str](), set[str]()
    for name in imported_from_run(module):
        target = module.target(module.imports.names[name])
        other = module.place.others.module_at(target.path) if isinstance(target, Member) else None
        if isinstance(target, Member) and other is not None and any(map(other.calls_named, BACKWARDS)):
            names.add(name)
            paths.add(target.path)
    return frozenset(names), frozenset(paths)


def _entries(module: ModuleIndex, elsewhere: frozenset[str]) -> list[Scope]:
    """Return the functions on the way to a step or a backward, those that nothing in the file calls first."""
    functions = [scope for scope in module.scopes.by_node.values() if isinstance(scope.node, FUNCTIONS)]
    called = {scope: frozenset(_called(scope)) for scope in functions}
    training = {"step", *BACKWARDS, *elsewhere}
    found: list[Scope] = []
    while more := [s for s in functions if s not in found and not called[s].isdisjoint(training)]:
        found += more
        training |= {scope.name for scope in more}
    found = [scope for scope in found if scope.parent is not None and (scope.parent.is_module or scope.parent.is_class)]
    return sorted(found, key=lambda scope: (bool(module.calls_named(scope.name)), getattr(scope.node, "lineno", 0)))


def _called(scope: Scope) -> Iterator[str]:
    for node in walk(scope.node):
        name = last_name(node.func) if isinstance(node, ast.Call) else None
        if name is not None:
            yield name
