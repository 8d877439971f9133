"""Copies for autograd, where the write has to stay: the operation that saved the memory saves a copy instead.

    for t in range(1, steps):
        out[t] = torch.tanh(out[t - 1] @ w + x[t])

    for t in range(1, steps):
        out[t] = torch.tanh(out[t - 1].clone() @ w + x[t])

The results can't change: the copy has the same values, and nothing else sees it. This is the recipe for writes that a
caller, a container or another name must see, and for stores in a loop, where cloning the whole tensor in every round
would make the cost quadratic in the number of rounds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from unplace import torchapi
from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.graph import LEAF
from unplace.analysis.domain.values import (
    MODULE,
    NAMESPACE,
    TENSOR,
    Base,
    Link,
    Objs,
    Origin,
    Saved,
    Value,
    in_order,
    is_same,
)
from unplace.analysis.effects.applying import INSIDE
from unplace.analysis.effects.effect import leaves_alone
from unplace.analysis.interpret.indexing import INDEXING
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.analysis.project.calling import function_of
from unplace.analysis.project.unfollowed import has_forward_hooks
from unplace.analysis.queries.demand import is_never_asked_for
from unplace.analysis.queries.manifest import is_index_of_data
from unplace.analysis.queries.past_autograd import hidden_write_to
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.catalogue import Assumption, Saver
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.forms import Form, WriteKind
from unplace.diagnostics.reasons import Line, Reason
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.torchapi.arithmetic import FUNCTION_OF
from unplace.transform.emit.copies import Copies, cloned, laid_out
from unplace.transform.emit.returning import OWN
from unplace.transform.filter import leaves_out
from unplace.transform.recipes.callees import savers_inside
from unplace.transform.recipes.given import copies_given
from unplace.transform.recipes.reads import where_made
from unplace.transform.recipes.results import stored
from unplace.transform.sites import Site, form_of
from unplace.transform.verdicts import CopySaved


def copy_saved(site: Site, rules: Mapping[Form, Any], text: Text, *, is_costly: bool = False) -> CopySaved | None:
    """Return the copies that keep the old values for backward, if every operation that saved them is known.

    `is_costly` tells that a clone of the whole tensor would cost more, so that copies pay where the harm is only
    possible, too.
    """
    is_buffer = site.is_buffer()  # the next call of the module overwrites what this one saved
    harm = site.harm()[0]
    if not is_buffer and harm is not Harm.HARMFUL and not (harm is Harm.POSSIBLE and is_costly):
        return None
    forbidden = site.forbidden()
    is_of_piece = forbidden is not None and not forbidden.is_leaf
    if site.saves_its_result() or site.is_leaf() or is_of_piece or _is_impossible(site):
        return None  # the write raises anyway
    if site.form is Form.DATA_STORE or site.write.data is not None or any(o.operator == "data" for o in site.roots()):
        return None  # autograd doesn't see the write, so backward wouldn't fail
    if _has_other_views(site):
        return None
    saves = [each for each in _saves(site, is_buffer) if not _is_harmless(site, *each, is_buffer)]
    own = _all_copied(site, [each for each in saves if each[0] is site.run], rules, text)
    theirs = _all_copied(site, [each for each in saves if each[0] is not site.run], rules, text)
    given = copies_given(site, text) if theirs is None or theirs.copied else None
    if given is not None and (theirs is None or given.cost(text) <= theirs.cost(text)):
        theirs = given
    if own is None or theirs is None:
        return None
    own.join(theirs)
    if not own.copied or any(map(_overlap, own.edits.values())):
        return None
    here = laid_out(text, own.edits.pop(OWN, ()))
    elsewhere = tuple((path, tuple(sorted(own.edits[path]))) for path in sorted(own.edits))
    return CopySaved(frozenset(own.copied), tuple(own.told), here, tuple(own.assumptions), elsewhere)


def _is_harmless(site: Site, run: Run, state: Facts, saved: Saved, is_buffer: bool) -> bool:
    """Tell whether a backward never needs what an operation saved, or doesn't for certain."""
    if is_never_asked_for(run, saved):
        return True
    if site.harm()[0] is Harm.HARMFUL:
        return False
    return is_index_of_data(site.program, run, saved) or (is_buffer and not _is_of(site, run, state, saved))


def _all_copied(
    site: Site, saves: Iterable[tuple[Run, Facts, Saved]], rules: Mapping[Form, Any], text: Text
) -> Copies | None:
    """Return the copies for operations that saved the memory; None where one of them can't be given one."""
    found = Copies()
    by: list[Saved] = []
    for run, state, saved in saves:
        path = _path_for(site, run, saved)
        if path is None or hidden_write_to(site.program, saved.operation) is not None:
            return None  # backward uses what a write hidden from autograd left
        own = text if path == OWN else Text(run.program.module.text)
        copies = _copied_there_or_inside(site, run, state, saved, rules, own)
        if not copies or any(_is_kept_by_hook(inner, node) for inner, node, _ in copies):
            return None
        by.append(saved)
        for inner, node, needed in copies:
            found.add(node, path, needed)
            found.assumptions |= dict.fromkeys(_of_kind(inner, node))
    lines = ((saved.operation, Line(saved.line, file=saved.file)) for saved in in_order(by))
    found.told |= dict.fromkeys(Saver.OPERATION(name=name, line=line) for name, line in lines)
    return found


def _is_of(site: Site, run: Run, state: Facts, saved: Saved) -> bool:
    """Tell whether an operation certainly saves memory that the site writes, rather than what may be a copy of it."""
    expression = _expression(run, state, saved)
    value = run.values.get(expression) if expression is not None else None
    if value is None or run is not site.run or not saved.certain:
        return saved.certain
    written = site.roots()
    seen = [state, *(at_end for _, at_end in site.program.exits(run.scope))]
    bases = {obj: s.bases[obj] for s in seen for obj in value.objs - written if obj in s.bases}
    return all(o in written or (o in bases and _views(bases[o], written)) for o in value.objs)


def _views(base: Base, written: Objs) -> bool:
    return base.link is Link.VIEW and base.objs <= written


def _path_for(site: Site, run: Run, saved: Saved) -> str | None:
    """Return the path of the file in which an operation can be given a copy; None where its file can't be edited."""
    if saved.file is None:
        return OWN
    module = run.program.module
    is_open = module.place is not None and not leaves_out(module.text, site.options)
    return module.place.path if is_open and module.place is not None else None


def _of_kind(run: Run, copied: ast.AST) -> tuple[Reason, ...]:
    """Return the assumption that a copied expression is a tensor, where that is only likely."""
    is_likely = isinstance(copied, ast.expr) and run.values[copied].likely
    return (Assumption.TENSOR(name=code_of(copied)),) if is_likely else ()


def saves_its_operands(site: Site) -> bool:
    """Tell whether the operation itself saves memory that it writes, because an operand is a view of that memory."""
    return any(saved.node is site.node for root in site.roots() for saved in site.state.saved.get(root, ()))


def is_saved_by_stores_alone(site: Site) -> bool:
    """Tell whether only the values of stores to the same memory saved it, one each: `x[i] = x[i].tanh()`."""
    if site.harm()[0] is Harm.HARMLESS:
        return False
    run, roots = site.run, site.roots()
    saves = {each for root in roots for each in site.state.saved.get(root, ())}
    known = (s for s in saves if s.certain or isinstance(s.node, ast.BinOp))
    own = (s.node for s in known if isinstance(s.node, ast.expr) and s.node in run.values)
    statements = {run.statement_of(node) for node in own if node not in run.writes}
    stores = {w.statement for w in run.writes.values() if w.state.roots(w.value.objs) & roots}
    return bool(saves) and len(statements) == len(saves) and site.statement in statements and statements <= stores


def _saves(site: Site, is_buffer: bool) -> Iterator[tuple[Run, Facts, Saved]]:
    """Iterate over what the function and its callers saved of the written memory, each with its run and state."""
    scope = site.run.scope
    exits = [state for _, state in site.program.exits(scope)]
    roots = sorted(site.roots(), key=lambda obj: obj.index)
    for root in roots:
        yield from ((site.run, site.state, saved) for saved in in_order(site.state.saved.get(root, frozenset())))
    for root in roots:
        passed = site.state.from_callers(root)
        before = [*site.callers.saves_before(scope, passed)] if passed is not None else []
        others = [(run, state, saved) for run, state, saved in before if not _is_call_of(scope, run, saved)]
        states = exits if is_buffer or len(others) < len(before) else ()
        for saved in in_order(frozenset().union(*(state.saved.get(root, frozenset()) for state in states))):
            yield site.run, site.state, saved
        yield from others


def _is_call_of(scope: Scope, run: Run, saved: Saved) -> bool:
    """Tell whether what saved a tensor is an earlier call of a function: its own operations are copied for then."""
    return any(call is saved.node and callee is scope for (call, _, callee) in (*run.handed, *run.handed_held))


def _copied_there_or_inside(
    site: Site, run: Run, state: Facts, saved: Saved, rules: Mapping[Form, Any], text: Text
) -> list[tuple[Run, ast.AST, tuple[Edit, ...]]]:
    """Return what is copied for an operation that saved the memory, by it or inside the function that it calls."""
    found = _copied(site, run, state, saved, rules, text)
    if found is not None:
        return [(run, *found)]
    copies: list[tuple[Run, ast.AST, tuple[Edit, ...]]] = []
    for inner, there, each in savers_inside(run, saved):
        copied = _copied(site, inner, there, each, rules, text)
        if copied is None:
            return []
        copies.append((inner, *copied))
    return copies


def _copied(
    site: Site, run: Run, state: Facts, saved: Saved, rules: Mapping[Form, Any], text: Text
) -> tuple[ast.AST, tuple[Edit, ...]] | None:
    """Return the node whose value is copied for an operation that saved the memory, and the edits for the copy."""
    if saved.part == "result" and saved.certain and saved.node is not None and saved.node in run.writes:
        if saved.file is not None:
            return None
        write = run.writes[saved.node]
        edits = stored(Site(site.program, run, write, form_of(run, write), site.callers, site.options), rules, text)
        if edits is None and isinstance(saved.node, ast.expr) and _is_of_temporary(write):
            edits = cloned(text, saved.node, run.parents)
        return (saved.node, edits) if edits is not None else None
    is_certain = saved.certain or (isinstance(saved.node, ast.BinOp) and site.harm()[0] is not Harm.HARMLESS)
    expression = _expression(run, state, saved) if is_certain else None
    if expression is None:
        return None
    made = where_made(run, state, expression) if run is site.run else None
    return expression, cloned(text, made or expression, run.parents)


def _is_of_temporary(write: Write) -> bool:
    """Tell whether a module overwrites what nothing else holds: `self.relu(self.conv(x))`."""
    state, value = write.state, write.value
    if write.kind is not WriteKind.MODULE or not isinstance(write.target, ast.Call):
        return False
    held = (*state.env.values(), *state.heap.values())
    is_made = all(obj.origin is Origin.FRESH for obj in state.roots(value.objs))
    return is_made and not any(state.may_share(other.objs, value.objs) for other in held)


def _overlap(edits: set[Edit]) -> bool:
    """Tell whether two edits change the same text or insert at the same place."""
    ordered = sorted(edits)
    return any(second.start < first.end or second.start == first.start for first, second in pairwise(ordered))


def _is_impossible(site: Site) -> bool:
    """Tell whether torch rejects the write because several elements share one memory location."""
    return site.write.kind.is_whole and any(
        o.overlapping and o.operator in ("expand", "expand_as") for o in site.roots()
    )


def _has_other_views(site: Site) -> bool:
    """Tell whether the memory has views for which the write remains a problem.

    Views made by `split`, `unbind` or a loop over a tensor can't be used after it; detached ones make autograd miss it.
    """
    state, roots = site.state, site.roots()
    if any(base.forbidden and state.roots((obj,)) & roots for obj, base in state.bases.items()):
        return True
    seen = [*state.env.values(), *state.heap.values()]
    others = [v for v in seen if not v.objs & site.value.objs]
    apart = [v for v in others if v.graph == LEAF or (not v.graph and v.objs & state.bases.keys())]
    return any(state.roots(v.objs) & roots for v in apart)


def _is_held(state: Facts, result: Value) -> bool:
    """Tell whether something other than names may hold what a function of the run returned."""
    if any(obj.origin is not Origin.FRESH for obj in state.roots(result.objs)):
        return True
    return any(held.objs and state.may_share(held.objs, result.objs) for held in state.heap.values())


def _is_made_by(run: Run, node: ast.expr) -> bool:
    """Tell whether a call certainly returns a new tensor: one of several layers may work in place."""
    keys = (run.names.key_of(obj) for obj in run.values[node].objs)
    return all(isinstance(key, tuple) and key[0] is node for key in keys)


def _expression(run: Run, state: Facts, saved: Saved) -> ast.expr | None:
    """Return the expression whose value the operation saved, if autograd would save a copy of it instead."""
    if saved.node is None:
        return None
    write = run.writes.get(saved.node)
    handings = (*run.handed.items(), *run.handed_held.items())
    handed = [w for (call, _, _), (_, w) in handings if call is saved.node]
    node = saved.node if saved.part == "result" else _argument(run, saved.node, saved.part)
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred | ast.NamedExpr):
        return None
    value = run.values.get(node)
    result = run.values.get(saved.node) if isinstance(saved.node, ast.expr) else None
    if value is None or not value.must_be(TENSOR) or _is_formatted(run, node):
        return None
    if saved.operation == INDEXING:
        return node
    if any(state.may_share(value.objs, w.value.objs) for w in handed):
        return None  # the callee reads memory through one parameter and writes it through another
    if _is_written_behind(run, state, saved.node, node) or _is_kept_by_hook(run, saved.node):
        return None
    if any(w.is_one_of_several and w.node is saved.node for w in (*run.writes.values(), *run.flagged.values())):
        return None  # one of the layers that a call may run works in place: its result is what it saved
    if node is saved.node and not _is_made_by(run, node):
        return None  # the result may be an argument, which the write has to reach
    if INSIDE in saved.operation and node is saved.node and _is_held(state, value):
        return None  # the callee has left its result elsewhere, too
    if write is not None:  # an operand that overlaps the target elsewhere is read while the target is written
        is_itself = is_same(value, write.value) and write.is_elementwise
        return node if is_itself or not state.may_share(value.objs, write.value.objs) else None
    if node is saved.node:
        return node if not value.objs & state.bases.keys() else None  # a copy would cut a view off from its base
    return node if result is None or not state.may_share(result.objs, value.objs) else None


def _is_written_behind(run: Run, state: Facts, operation: ast.AST, node: ast.expr) -> bool:
    """Tell whether an operation writes an operand before it computes with it: `h * decay(h)`."""
    inside, end = {*walk(operation)} - {operation}, (node.end_lineno or 0, node.end_col_offset or 0)
    later = (w for w in run.possible_writes() if w.node in inside and (w.node.lineno, w.node.col_offset) >= end)  # type: ignore[attr-defined]
    return any(state.may_share(w.state.reachable(w.value.objs), run.values[node].objs) for w in later)


def _is_kept_by_hook(run: Run, operation: ast.AST) -> bool:
    """Tell whether a forward hook may keep what a module is called with."""
    callee = run.values.get(operation.func) if isinstance(operation, ast.Call) else None
    return callee is not None and callee.may_be(MODULE) and has_forward_hooks(run.program.module)


def _argument(run: Run, node: ast.expr | ast.AugAssign, part: str) -> ast.expr | None:
    """Return the argument that an operation passes for a parameter of torch's operator."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        names = _parameters_of_operator(node.op)
        operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (None, node.value)
        return dict(zip(names, operands, strict=False)).get(part)
    if not isinstance(node, ast.Call):
        return None
    names, arguments = _signature(run, node)
    if part.startswith("*"):
        return _extra_argument(arguments[len(names) :], part[1:])
    bound = {**dict(zip(names, arguments, strict=False)), **{k.arg: k.value for k in node.keywords if k.arg}}
    return bound.get(part)


def _parameters_of_operator(op: ast.operator) -> tuple[str, ...]:
    operator = torchapi.function(FUNCTION_OF[type(op)])
    return operator.parameters[:2] if operator is not None else ()


def _signature(run: Run, node: ast.Call) -> tuple[tuple[str, ...], list[ast.expr]]:
    """Return the parameters of the called operator and the positional arguments, the receiver of a method first."""
    function = node.func
    receiver = run.values.get(function.value) if isinstance(function, ast.Attribute) else None
    if isinstance(function, ast.Attribute) and receiver is not None and receiver.is_tensor:
        in_place = torchapi.inplace_method(function.attr)
        operator = torchapi.tensor_method((in_place and in_place.functional) or function.attr)
        return (operator.parameters if operator is not None else ()), [function.value, *node.args]
    if receiver is not None and not receiver.must_be(NAMESPACE):
        return _parameters_of_function(run, node), list(node.args)
    qualified = run.program.module.qualified(run.scope, function)
    operator = torchapi.function(qualified) if qualified is not None else None
    return (operator.parameters if operator is not None else _parameters_of_function(run, node)), list(node.args)


def _parameters_of_function(run: Run, node: ast.Call) -> tuple[str, ...]:
    """Return the parameters of a function of the project, without the receiver of a method.

    A parameter with which the function does more than read it becomes an empty string: no argument is found for it.
    """
    callee = run.values.get(node.func)
    ref = callee.ref if callee is not None else None
    function = function_of(run.program, ref)
    summary = run.program.summary(function) if function is not None else None
    if summary is None or function is None:
        return ()
    names = [a.arg for a in function.scope.parameters]
    return tuple(n if leaves_alone(summary, n) else "" for n in (names if function is ref else names[1:]))


def _extra_argument(arguments: list[ast.expr], place: str) -> ast.expr | None:
    """Return the argument at a position such as "1", or for "1.0" the first element of a display at that position."""
    position, _, index = place.partition(".")
    if not position.isdigit() or int(position) >= len(arguments):
        return None
    argument = arguments[int(position)]
    if not index:
        return argument
    elements = argument.elts if isinstance(argument, ast.Tuple | ast.List) else []
    return elements[int(index)] if index.isdigit() and int(index) < len(elements) else None


def _is_formatted(run: Run, node: ast.expr) -> bool:
    """Tell whether an expression stands in an f-string, where Python before 3.12 doesn't give its position."""
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.stmt | ast.JoinedStr):
        around = run.parents.get(around)
    return isinstance(around, ast.JoinedStr)
