"""Tells whether other code may ask for the gradient of a leaf that a scope makes.

def init(size):                     it is returned
    w = torch.randn(size, requires_grad=True)
    w[0] *= 2
    return w

w = init(3)                         a name of the module, or what an own function gets, where the file reads `.grad`
w[0] *= 2
step([w])

A name of the module also counts where another file has it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.values import CONTAINER, NO_OBJS, Obj, Objs, Origin, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.queries.forbidden import CONVERTED
from unplace.analysis.syntax.bindings import root_name

_ASKING = ("grad", "optim")
"""What a file names that works with the gradients of leaves."""


def is_handed_out(run: Run, write: Write) -> bool:
    """Tell whether code outside a scope may ask for the gradient of the leaf that a write of the scope changes."""
    leaves = _written(run, write)
    if not leaves:
        return False
    if run.scope.is_module:
        name = root_name(write.target)
        return _asks(run.program.module) or (name is not None and run.program.module.is_named_elsewhere(name))
    exits = run.program.exits(run.scope)
    if any(_gives(run, state, value, leaves) or _leaves(state, leaves) for value, state in exits):
        return True
    return _asks(run.program.module) and is_passed(run, write.state, leaves)


def is_given_out(run: Run, leaves: Objs) -> bool:
    """Tell whether a function returns a leaf, or leaves it in an object from outside."""
    if run.scope.is_module:
        return False
    exits = run.program.exits(run.scope)
    return not exits or any(_has(state, value, leaves) or _leaves(state, leaves) for value, state in exits)


def is_passed(run: Run, state: Facts, leaves: Objs) -> bool:
    """Tell whether a call of an own function gets a leaf."""
    return any(_passes(run, state, leaves))


def _asks(module: ModuleIndex) -> bool:
    """Tell whether a file works with the gradients of leaves anywhere."""
    return any(map(module.reads_of, _ASKING))


def _written(run: Run, write: Write) -> Objs:
    """Return the leaves that a write changes, with what may be one of them: `leaf.to(torch.float32)`."""
    bases, leaves = write.state.bases, write.state.roots(write.value.objs) & run.leaves
    converted = (o for o in write.value.objs if o in bases and bases[o].link in CONVERTED)
    return leaves.union(converted) if leaves else NO_OBJS


def _gives(run: Run, state: Facts, returned: Value, leaves: Objs) -> bool:
    """Tell whether a function returns a leaf to code that may ask for its gradient.

    Code that isn't seen may, and a file that uses the function and runs a backward, unless the leaf comes with other
    results, as the loss.
    """
    if not _has(state, returned, leaves):
        return False
    module, name = run.program.module, run.scope.name
    users = [user for user in (module, *module.others_with(name, (r"\S",))) if user.reads_of(name)]
    is_alone = all(each.graph == LEAF or each.objs <= leaves for each in _tensors(state, returned))
    is_open = not users or any(user.reads_of("backward") for user in (module, *users))
    return any(map(_asks, (module, *users))) or (is_alone and is_open)


def _leaves(state: Facts, leaves: Objs) -> bool:
    """Tell whether an object from outside holds a leaf when a function returns."""
    held = (value for (holder, _), value in state.heap.items() if holder.origin is not Origin.FRESH)
    return any(_has(state, value, leaves) for value in held)


def _has(state: Facts, value: Value, leaves: Objs) -> bool:
    """Tell whether a value is a leaf, or a container of one."""
    return any(not leaves.isdisjoint(each.objs) for each in _tensors(state, value))


def _tensors(state: Facts, value: Value) -> list[Value]:
    """Return a value, or what the slots of a container hold, and those of containers in them."""
    found, todo, seen = [], [value], set[Obj]()
    while todo:
        each = todo.pop()
        if not each.must_be(CONTAINER):
            found.append(each)
        todo += (held for _, held in state.reachable_slots(each.objs - seen))
        seen |= each.objs
    return found


def _passes(run: Run, state: Facts, leaves: Objs) -> Iterator[bool]:
    """Tell of each call of an own function whether it gets a leaf."""
    for call in run.scope.of(ast.Call):
        given = [*call.args, *(keyword.value for keyword in call.keywords)] if call in run.followed else []
        nodes = (node for each in given for node in ast.walk(each) if isinstance(node, ast.Name))
        values = (run.values.get(node) for node in nodes)
        yield any(value is not None and _has(state, value, leaves) for value in values)
