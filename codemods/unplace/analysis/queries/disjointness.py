"""Finds what has to be assumed so that two tensors, of which one may be made from the other, don't share memory.

    y = f(x)            f may return x, or a view of it
    y += 1

Nothing is assumed that the code in sight contradicts: two names of one object, a view and its base, an element and its
holder.
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.facts import ANY, Facts
from unplace.analysis.domain.refs import Bound, Function, alternatives
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import NO_OBJS, Obj, Objs, Origin, Saved, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.calling import function_of
from unplace.analysis.queries.observers import assumptions_about
from unplace.analysis.queries.replaced_elements import is_replaced
from unplace.analysis.syntax.nodes import code_of
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.reasons import Reason


def _may_be_another_element(run: Run, write: Write, obj: Obj, saved: Saved) -> bool:
    """Tell whether an operation may have saved another element of a collection from outside than the written one.

    y = xs[0].sin()
    xs[1].add_(1)

    One object stands for all elements of such a collection.
    """
    stands_for_all = obj.origin is not Origin.FRESH and any(key == ANY for (_, key), _ in write.state.slots_with(obj))
    if not stands_for_all or saved.node is None:
        return False
    written = code_of(write.target)
    for part in ast.walk(saved.node):
        read = run.values.get(part) if isinstance(part, ast.expr) else None
        if read is not None and obj in read.objs and isinstance(part, ast.expr):
            if read.identity == write.value.identity or code_of(part) == written:
                return False
    return True


def certainly_saved(run: Run, write: Write, objs: Objs) -> set[Saved]:
    """Return the operations that certainly saved some of the objects that a write reaches, on the way to it."""
    found = ((obj, saved) for obj in objs for saved in write.state.saved.get(obj, ()))
    return {saved for obj, saved in found if is_certain(run, write, obj, saved)}


def is_certain(run: Run, write: Write, obj: Obj, saved: Saved) -> bool:
    """Tell whether an operation that saved an object certainly saved what is written, on the way to the write."""
    if not saved.certain or not saved.on_path or _may_be_another_element(run, write, obj, saved):
        return False
    return not is_replaced(run, write, obj, saved)


def operands_apart(run: Run, write: Write, *, is_observed: bool = False) -> tuple[Reason, ...] | None:
    """Return the assumptions under which a write reads no memory that it writes; None where the code shows it does.

    Where runs were observed, it is also open which one of several tensors a name was.
    """
    operands = write.overlapping(write.state)
    if not operands:
        return ()
    parted = write.state.parted()
    if any(not is_observed or _is_one(write, operand, parted) for operand in write.overlapping(parted)):
        return None
    found: list[Reason] = []
    for operand in operands:
        node = next((n for n in _given(write.node) if run.values.get(n) is operand), None)
        alone = held_alone(parted, write.value.objs) or held_alone(parted, operand.objs)
        if node is None and not alone:
            return None
        found += alone or [Assumption.NOT_SHARED(one=code_of(write.target), other=code_of(node))]  # type: ignore[arg-type]
    return tuple(dict.fromkeys(found))


def arguments_apart(run: Run, write: Write) -> tuple[Reason, ...] | None:
    """Return the assumptions under which no other argument of a call has the memory of the one that it writes.

    None where the code shows that one does.
    """
    parted, found = write.state.parted(), list[Reason]()
    for argument in write.operands:
        if not write.state.may_share(argument.objs, write.value.objs):
            continue
        node = next((n for n in _given(write.node) if run.values.get(n) is argument), None)
        if node is None or parted.may_share(argument.objs, write.value.objs):
            return None
        found.append(Assumption.NOT_SHARED(one=code_of(write.target), other=code_of(node)))
    return tuple(dict.fromkeys(found))


def is_reached_otherwise(run: Run, write: Write, call: ast.Call, passed: ast.expr) -> bool:
    """Tell whether a called function may reach a tensor by more than one argument: its object, a name, a closure.

    self.h = self._scaled(self.h)               def shifted(t): return t + h.sum()
    helper(h, [h])                              h = shifted(h)
    """
    state, value = write.state, run.values.get(passed)
    others = [each for each in (*call.args, *(k.value for k in call.keywords)) if each is not passed]
    if value is None or any(isinstance(each, ast.GeneratorExp | ast.Starred) for each in others):
        return True
    callee = run.values.get(call.func)
    held = [run.values[each] for each in others if each in run.values]
    reached = {obj for each in held for obj in state.reachable(each.objs)}
    for each in (*held, *([callee] if callee is not None else [])):
        functions = (ref for ref in alternatives(each.ref) if isinstance(ref, Function))
        reached |= {obj for ref in functions for obj in run.captured_by(ref, state)}
    for ref in (ref for each in held for ref in alternatives(each.ref)):
        reached |= state.reachable(ref.receiver.objs) if isinstance(ref, Bound) else NO_OBJS
    owner = run.values.get(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if owner is not None and owner.objs:
        reached |= _read_of_object(run, state, owner, callee)
    return state.may_share(frozenset(reached), value.objs)


def _read_of_object(run: Run, state: Facts, owner: Value, method: Value | None) -> Objs:
    """Return what a method may reach of its object: by the attributes that it names, or by all if it isn't known."""
    function = function_of(run.program, method.ref) if method is not None else None
    if function is None:
        return state.reachable(owner.objs)
    named = {node.attr for node in function.scope.of(ast.Attribute)}
    slots = (held for obj in owner.objs for key, held in state.fields_of(obj) if key in named)
    return state.reachable(obj for held in slots for obj in held.objs)


def _is_one(write: Write, operand: Value, parted: Snapshot) -> bool:
    """Tell whether an operand shares memory with the target, whichever of several tensors the two are."""
    pairs = ((frozenset((one,)), frozenset((other,))) for one in operand.objs for other in write.value.objs)
    return all(parted.may_share(*pair) for pair in pairs)


def held_alone(parted: Facts, objs: Objs) -> tuple[Reason, ...]:
    """Return the assumptions that nothing else holds what calls return; empty if tensors come from anywhere else."""
    roots = [obj for obj in parted.roots(objs) if obj not in parted.bases]
    if any(obj.origin not in (Origin.CALL, Origin.FRESH) for obj in roots):
        return ()
    return assumptions_about(sorted(obj for obj in roots if obj.origin is Origin.CALL))


def cut_off(state: Facts, parted: Facts, value: Value) -> list[Obj]:
    """Return the tensors from outside that a value shares memory with only if a call returned its argument."""
    cut = state.roots(value.objs) - parted.roots(value.objs)
    return sorted((obj for obj in cut if obj.origin is not Origin.FRESH), key=lambda obj: obj.index)


def _given(node: ast.AST) -> list[ast.expr]:
    """Return the operands of an operation as written."""
    if isinstance(node, ast.AugAssign):
        return [node.value]
    return [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
