"""Finds what callers saved for backward of a tensor that they pass to a function, and that it then writes.

    h = torch.sigmoid(x)
    shift(h)                def shift(h): h += 1

A caller that passes on its own argument is followed to its callers, in all files of the run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.graph import SEEN, UNSEEN, parameters_of
from unplace.analysis.domain.values import CONTAINER, NO_OBJS, Obj, Objs, Origin, Saved, Value, by_place, in_order
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project import recording
from unplace.analysis.project.callers import Handed, calls_that_hand, calls_that_reach
from unplace.analysis.project.module import from_folder
from unplace.analysis.project.program import Program
from unplace.analysis.queries.disjointness import is_certain
from unplace.analysis.queries.entries import is_unrecorded
from unplace.analysis.queries.forbidden import Forbidden, why_forbidden
from unplace.analysis.queries.manifest import has_graph_in_sight
from unplace.analysis.queries.rounds_shown import met_after_rounds
from unplace.analysis.syntax.bindings import root_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import has_lasting_default

Element = Hashable | None
EACH = object()
_PICKING = frozenset({"get", "pop"})


def written_element(run: Run, write: Write) -> Element:
    """Return which element of a container that callers pass is written: its key, or EACH where a loop draws them all.

    d["a"] += 1         h = d.pop("a")         for f in feats:         for k in ("a", "b"):
                        h += 1                     f += 1                  d[k] += 1

    for k in d:
        if k == "a":
            d[k] += 1
    """
    bound = write.state.binds.get(root_name(write.target) or "")
    drawing = _loop_drawing(run, bound)
    if drawing is not None:
        drawn = drawing.target.elts[0] if isinstance(drawing.target, ast.Tuple) else None
        tested = _tested(run, write, drawn)
        return tested.value if tested is not None else EACH
    assignment = run.parents.get(bound) if isinstance(bound, ast.Name) and isinstance(write.target, ast.Name) else None
    assigned = assignment.value if isinstance(assignment, ast.Assign) and assignment.targets == [bound] else None
    base, key = _picked(assigned or write.target)
    loop = _loop_drawing(run, write.state.binds.get(key.id)) if isinstance(key, ast.Name) else None
    key = key if isinstance(key, ast.Constant) else _tested(run, write, key)
    if key is None and loop is not None and isinstance(loop.iter, ast.Tuple | ast.List):
        return EACH
    if base is None or key is None:
        return None
    holders = run.values[base].objs if base in run.values else NO_OBJS
    if any((holder, key.value) in write.state.heap for holder in holders):
        return None
    return key.value if holders and all(holder.parameter is not None for holder in holders) else None


def _tested(run: Run, write: Write, key: ast.expr | None) -> ast.Constant | None:
    """Return the constant that a key equals where a test lets the write run: `if k == "a": d[k] += 1`."""
    node: ast.AST | None = write.statement
    while isinstance(key, ast.Name) and node is not None:
        outer = run.parents.get(node)
        test = outer.test if isinstance(outer, ast.If) and node in outer.body else None
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == key.id:
            equals = [other for op, other in zip(test.ops, test.comparators, strict=True) if isinstance(op, ast.Eq)]
            if len(test.ops) == 1 and equals and isinstance(equals[0], ast.Constant):
                return equals[0]
        node = outer
    return None


def _picked(node: ast.expr) -> tuple[ast.expr | None, ast.expr | None]:
    """Return the container and the key of an element that an expression reads."""
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PICKING and node.args:
        return node.func.value, node.args[0]
    return None, None


def _loop_drawing(run: Run, bound: object) -> ast.For | ast.AsyncFor | ast.comprehension | None:
    """Return the loop or comprehension that draws what a name is bound to."""
    outer = bound if isinstance(bound, ast.AST) else None
    while isinstance(outer, ast.Name | ast.Tuple | ast.List | ast.Starred):
        outer = run.parents.get(outer)
    return outer if isinstance(outer, ast.For | ast.AsyncFor | ast.comprehension) else None


def saved_before(
    program: Program, scope: Scope, parameter: str, element: Element = None, *, is_open: bool = False
) -> Saved | None:
    """Return the operation of a caller that certainly saved the tensor before the function writes it, if any.

    Of a container, the function writes the element under a key, EACH, or one of which nothing is known. If `is_open`,
    the function tells not whether it writes a tensor, and the caller has to.
    """
    calls = (*_further_out(program, scope, parameter, is_reached=True), *calls_that_reach(program, scope, parameter))
    latent: Saved | None = None
    for call in calls:
        handed = _surely_handed_over(call, element)
        if is_open and not all(value.is_tensor and not value.likely for value in handed):
            continue
        saves = [_certain(program, call, value.objs) for value in handed]
        is_saved = any(saves) if element is EACH else all(saves)
        if (
            is_saved
            and call.write.record.is_trained
            and not is_unrecorded(call.program, call.run.scope, call.write.node)
        ):
            found = min((s for each in saves for s in each), key=by_place)
            is_shown = has_graph_in_sight(call.program, call.run, found.graph)
            file = from_folder(program.module, call.program.module)
            waiting = frozenset([parameter]) if parameters_of(found.graph) else UNSEEN
            saved = found._replace(file=file, graph=SEEN if is_shown else waiting)
            if is_shown:
                return saved
            latent = latent or saved
    return latent


def _certain(program: Program, call: Handed, objs: Objs) -> list[Saved]:
    """Return the operations of a caller that certainly saved some objects; those of what holds them don't count."""
    seen, bases = call.write.state.seen(objs), call.write.state.bases
    holders = {holder for obj in seen if (base := bases.get(obj)) is not None for holder in base.holders}
    return [
        saved
        for root in sorted(seen - holders)
        for saved in _saved(program, call, root)
        if is_certain(call.run, call.write, root, saved)
    ]


def forbidden_passed(program: Program, scope: Scope, parameter: str) -> tuple[Handed, Forbidden] | None:
    """Return a call that passes what torch lets nobody write, with the reason: `fill(self.emb.weight)`.

    It is what gets a gradient itself, parameters first, or one of several views of a tensor: `fill(y.chunk(2)[0])`.
    """
    if recording.may_be_off(program.module, scope):
        return None
    asked = ((call, _why_passed(call)) for call in _further_out(program, scope, parameter, is_reached=True))
    found = [(call, why) for call, why in asked if why is not None and (why.is_leaf or why.is_piece)]
    return min(found, key=lambda each: (not each[1].is_leaf, not is_parameter(each[0].write)), default=None)


def _why_passed(call: Handed) -> Forbidden | None:
    """Return why torch lets nobody write what a call passes: for a container, each of the tensors in it."""
    write = call.write
    if not write.value.must_be(CONTAINER):
        return why_forbidden(call.run, write)
    found = [why_forbidden(call.run, replace(write, value=held)) for held in _held_in(call)]
    return found[0] if found and all(found) else None


def is_parameter(write: Write) -> bool:
    """Tell whether a module has registered the written memory."""
    return any(obj.origin is Origin.REGISTERED for obj in write.state.roots(write.value.objs))


def saves_before(program: Program, scope: Scope, parameter: str) -> Iterator[tuple[Run, Facts, Saved]]:
    """Iterate over all that callers saved of the tensor before the function writes it, with run and state."""
    for call in _further_out(program, scope, parameter):
        state, file = call.write.state, from_folder(program.module, call.program.module)
        if call.write.inside is not None:  # the next round overwrites what this one saved
            yield call.run, state, Saved(scope.name, call.write.statement.lineno, certain=False, file=file)
        for root in _handed_over(call) if call.write.record.records else ():
            for saved in in_order(_saved(program, call, root)):
                yield call.run, state, saved._replace(file=file) if file is not None else saved


def is_saved_by_none(program: Program, scope: Scope, parameter: str, knows_calls: Callable[[Scope], bool]) -> bool:
    """Tell whether no caller, direct or further out, saved the tensor; False where not all callers are known."""
    todo, seen = [(scope, parameter)], {(scope, parameter)}
    while todo:
        current, name = todo.pop()
        if not knows_calls(current) or has_lasting_default(current, name):
            return False
        for call in calls_that_hand(program, current, name):
            for root in _handed_over(call):
                if call.write.state.saved.get(root) or (root.origin is not Origin.FRESH and root.parameter is None):
                    return False
                outer = (call.run.scope, root.parameter)
                if outer[1] is not None and outer not in seen:
                    seen.add((outer[0], outer[1]))
                    todo.append((outer[0], outer[1]))
    return True


def _saved(program: Program, call: Handed, root: Obj) -> Iterable[Saved]:
    """Return what a caller saved of a tensor.

    In another file, calls don't count once this file is rewritten: its functions may save less than they did.
    """
    found = call.write.state.saved.get(root, frozenset())
    if call.program.module is program.module or _is_on_disk(program):
        return found
    return [saved for saved in found if saved.node not in call.run.followed]


def _further_out(program: Program, scope: Scope, parameter: str, *, is_reached: bool = False) -> Iterator[Handed]:
    """Iterate over the calls that pass a tensor to a function, and over those that pass it to their functions.

    With `is_reached`, calls are left out whose constants keep the function from writing the tensor.
    """
    todo, seen = [(scope, parameter)], {(scope, parameter)}
    while todo:
        asked = todo.pop()
        home = program.home_of(asked[0])
        for call in calls_that_hand(program, *asked):
            if is_reached and not home.may_write(*asked, call.write.variant):
                continue
            yield call
            roots = call.write.state.roots(call.write.value.objs) if call.write.record.records else NO_OBJS
            roots = met_after_rounds(call.run, call.write, roots) if is_reached else roots
            passed = {call.write.state.from_callers(root) for root in roots}
            outer = {(call.run.scope, name) for name in passed if name is not None} - seen
            todo += sorted(outer, key=lambda asked: asked[1])
            seen |= outer


def _handed_over(call: Handed) -> Objs:
    """Return the objects that a call hands over: all that a container reaches, or the bases of a tensor."""
    state, value = call.write.state, call.write.value
    return state.reachable(value.objs) if value.may_be(CONTAINER) else state.roots(value.objs)


def _surely_handed_over(call: Handed, element: Element) -> list[Value]:
    """Return what a call hands over by what the code in sight shows: the tensor, or elements of a container."""
    value = call.write.value
    picked = [call.write.state.heap.get((holder, element)) for holder in value.objs] if element is not EACH else []
    if picked and all(inner is not None and inner.objs for inner in picked):
        return [inner for inner in picked if inner is not None]
    held = _held_in(call) if value.may_be(CONTAINER) else []
    return [inner for inner in held if inner.objs] or [value]


def _held_in(call: Handed) -> list[Value]:
    """Return what the container that a call passes holds, and what the containers in it hold."""
    slots = call.write.state.reachable_slots(call.write.value.objs)
    return [value for _, value in slots if not value.must_be(CONTAINER)]


def _is_on_disk(program: Program) -> bool:
    """Tell whether other files import this version of a file, because nothing in it was rewritten so far."""
    disk = program.on_disk()
    return disk is None or disk.module is program.module
