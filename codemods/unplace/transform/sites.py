"""Sites: the in-place operations of a module, each with the facts about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.values import (
    CONSUMER,
    LIST,
    NUMBER,
    TENSOR,
    TUPLE,
    UNKNOWN,
    Link,
    Obj,
    Objs,
    Origin,
    Saved,
    Value,
    by_place,
)
from unplace.analysis.domain.views import UNCERTAIN, UNSEEN
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write, can_be_tracked, graph_of, is_tensor_data
from unplace.analysis.project.callers import Handed
from unplace.analysis.project.program import Program
from unplace.analysis.project.sharing import attributes_holding
from unplace.analysis.queries.demand import is_never_asked_for
from unplace.analysis.queries.disjointness import certainly_saved
from unplace.analysis.queries.entries import is_unrecorded
from unplace.analysis.queries.forbidden import Forbidden, is_allowed, looked_into, why_forbidden
from unplace.analysis.queries.layouts import layout_of
from unplace.analysis.queries.manifest import awaited, has_graph_in_sight, may_be_asked_for
from unplace.analysis.queries.observers import Observers
from unplace.analysis.queries.rounds_shown import met_after_rounds
from unplace.analysis.queries.saved_by_callers import Element, is_parameter, written_element
from unplace.analysis.queries.unbatched import why_unbatched
from unplace.analysis.queries.watch import Watch
from unplace.analysis.queries.yielded import is_drawn_once
from unplace.analysis.syntax.evaluation import around
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import evidence
from unplace.analysis.types.evidence import Evidence
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Forbids, Layout
from unplace.diagnostics.findings import Awaited, Harm
from unplace.diagnostics.forms import Form, Proof, WriteKind
from unplace.diagnostics.reasons import Reason
from unplace.observation.facts import OperationFacts
from unplace.transform.observed import callers_seen, sharing_in

_COMPOUND = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Match,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)


class Callers(Protocol):
    """The callers of a function that writes its parameters, as far as they are known."""

    def sees(self, scope: Scope, parameter: str) -> tuple[list[Reason], list[Reason]]:
        """Return the blockers and assumptions that follow from callers who may read their argument afterwards."""

    def is_closed(self, scope: Scope) -> bool:
        """Tell whether a scope is a module whose names only its own code can read."""

    def returned(self, scope: Scope) -> frozenset[str]:
        """Return the parameters whose tensors are handed back to the callers, and so are live at the end."""

    def saved_before(
        self, scope: Scope, parameter: str, element: Element = None, *, is_open: bool = False
    ) -> Saved | None:
        """Return the operation of a caller that certainly saved the tensor before the function writes it, if any."""

    def is_saved_by_none(self, scope: Scope, parameter: str) -> bool:
        """Tell whether all callers are known, and none saved the tensor before the function writes it."""

    def forbidden_passed(self, scope: Scope, parameter: str) -> tuple[Handed, Forbidden] | None:
        """Return a call that passes what torch lets nobody write, with the reason, if any."""

    def saves_before(self, scope: Scope, parameter: str) -> Iterator[tuple[Run, Facts, Saved]]:
        """Iterate over all that callers saved of the tensor before the function writes it, with run and state."""


@dataclass(slots=True, eq=False)
class Site:
    """One in-place operation: where it stands, and what the analysis knows about it.

    `facts` are what runs showed of the operation; `was_harmful` tells that torch raised because of it, and that the
    code around it is still the same.
    """

    program: Program
    run: Run
    write: Write
    form: Form
    callers: Callers
    options: Options
    facts: OperationFacts | None = None
    was_harmful: bool = False
    _name: str | None = None
    _forbidden: Forbidden | None = None
    _is_checked: bool = False
    _harm: tuple[Harm, Saved | None] | None = None
    _roots: Objs | None = None
    _watch: Watch | None = None

    @property
    def node(self) -> ast.AST:
        """The operation itself."""
        return self.write.node

    @property
    def statement(self) -> ast.stmt:
        """The statement that contains the operation."""
        return self.write.statement

    @property
    def value(self) -> Value:
        """The tensor that is written."""
        return self.write.value

    @property
    def state(self) -> Snapshot:
        """The abstract state just before the write."""
        return self.write.state

    @property
    def name(self) -> str:
        """The written tensor as the source calls it."""
        if self._name is None:
            self._name = code_of(self.write.target)
        return self._name

    @property
    def in_header(self) -> bool:
        """Tell whether the operation stands in a lambda or in the header of a compound statement."""
        return isinstance(self.statement, _COMPOUND) or self.in_lambda

    @property
    def in_lambda(self) -> bool:
        """Tell whether the operation stands in a lambda."""
        return isinstance(self.run.scope.node, ast.Lambda)

    def handles(self, file: str) -> bool:
        """Tell whether the run handles a file, which is named as in the facts."""
        place, facts = self.program.module.place, self.options.facts
        return place is not None and facts is not None and place.others.has(str(Path(facts.root, file)))

    def live(self) -> set[str]:
        """Return the names that may be read after the write, the rest of its statement included."""
        statement = self.statement
        is_own = self.callers.is_closed(self.run.scope)
        live = self.run.liveness.live_after(statement, in_header=self.in_header, is_own=is_own)
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name | ast.Tuple | ast.List):
                    live -= {n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            live -= {statement.target.id}
        if self.node is not statement and not self._is_store_of_statement():
            live |= self.other_reads()
        if not isinstance(statement, ast.Return):
            live |= self.callers.returned(self.run.scope)
        return live

    def _is_store_of_statement(self) -> bool:
        return self.write.kind in (WriteKind.STORE, WriteKind.DATA)

    def _may_replace_element(self) -> bool:
        """Tell whether the store would be legal on a list or dictionary too: `x[i] = v`, but not `x[:, i] = v`."""
        if self.write.kind is not WriteKind.STORE or not isinstance(self.node, ast.Subscript):
            return False
        return not isinstance(self.node.slice, ast.Tuple)

    def other_reads(self) -> set[str]:
        """Return the names that the rest of the statement may read after the write.

        An expression evaluated before the write counts only if its value may share memory with the target.
        """
        statement, around_it = self.statement, self.write.inside
        if around_it is not None and is_drawn_once(self.run, self.write):
            rest = {*walk(statement)} - {*walk(around_it)}  # each round reads another element
            return {n.id for n in rest if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        around_all = statement.target if isinstance(statement, ast.AugAssign) else around_it  # or by the next round
        found = _names(around_all) if around_all is not None else set()
        order = around(statement, self.node)
        if order is None:
            return found | _names(statement)
        for part in order.before:
            if self._holds_target(part):
                found |= _names(part)
        for part in order.after:
            found |= {n.id for n in walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        return found

    def _holds_target(self, node: ast.AST) -> bool:
        """Tell whether the value of an expression evaluated earlier may share memory with the target."""
        values = [self.run.values.get(n) for n in walk(node) if isinstance(n, ast.expr)][:1]
        return any(v is None or self.state.may_share(self.state.reachable(v.objs), self.value.objs) for v in values)

    def watch(self, live: set[str] | None = None) -> Watch:
        """Return the watch that finds the observers of the write; `live` defaults to the names live after it."""
        if live is not None:
            return self._watch_with(live)
        if self._watch is None:
            self._watch = self._watch_with(self.live())
        return self._watch

    def _watch_with(self, live: set[str]) -> Watch:
        written = self.name if isinstance(self.write.target, ast.Name | ast.Attribute | ast.Subscript) else None
        sees = partial(self.callers.sees, self.run.scope)
        sharing = None
        if self.facts is not None and self.facts.examined:
            sees, sharing = partial(callers_seen, sees), sharing_in(self.facts)
        return Watch(self.run, self.state, live, sees, written, self._cut(), sharing)

    def _cut(self) -> frozenset[Link]:
        """Return the links that may be assumed to be none; for harmless writes, nothing is assumed."""
        if self.harm()[0] is Harm.HARMLESS:
            return frozenset()
        return UNCERTAIN if self.is_saved() else UNSEEN

    def observers(self) -> Observers:
        """Return the observers that would notice if the write were no longer visible."""
        return self.watch().of(self.value, None)

    def registered(self) -> Obj | None:
        """Return the parameter, buffer or gradient that is written, if any."""
        return min((o for o in self.roots() if o.origin is Origin.REGISTERED), default=None)

    def is_buffer(self) -> bool:
        """Tell whether the written memory is a buffer that a class of this file registers."""
        registered = self.registered()
        if registered is None:
            return False
        return any(owner.lookup("buffers", name) for owner, name in attributes_holding(self.state, registered))

    def fills_own_memory(self) -> bool:
        """Tell whether the function has made the written memory, and nothing has saved it, so that a store may stay."""
        owners = {root for root in self.roots() if root not in self.state.bases}
        leaves = self.run.leaves if self.value.graph else frozenset()  # a leaf only later
        if self.options.functional or self.is_hidden() or any(root.operator == "data" for root in owners):
            return False
        is_own = bool(owners) and all(root.origin is Origin.FRESH for root in owners) and owners.isdisjoint(leaves)
        return is_own and self.harm()[0] is Harm.HARMLESS

    def replaces_all(self) -> bool:
        """Tell whether the write replaces all elements regardless of their old values: `y.copy_(v)`, `y[:] = v`."""
        operator = self.write.operator
        if operator is not None:
            return operator.kind in ("copy", "fill", "random")
        index = self.node.slice if isinstance(self.node, ast.Subscript) else None
        if isinstance(index, ast.Slice):
            return index.lower is index.upper is index.step is None
        return isinstance(index, ast.Constant) and index.value is ...

    def layout(self) -> Layout | None:
        """Return the layout of the written memory, if it was chosen on purpose."""
        laid_out = self.run.laid_out
        found = {**laid_out, **{self.run.names.aged(o): layout for o, layout in laid_out.items()}} if laid_out else {}
        written = self.roots()
        own = [found[o] for o in sorted(found.keys() & written)]
        held = sorted(o for o in written if o.origin is Origin.ATTRIBUTE) if not own else ()
        return own[0] if own else next((layout for o in held for layout in self._layouts_of_attribute(o)), None)

    def _layouts_of_attribute(self, obj: Obj) -> Iterator[Layout]:
        """Iterate over the layouts that a class chooses for the tensors it stores in an attribute."""
        for owner, name in attributes_holding(self.state, obj):
            for _, source in (made for cls in owner.linearized() for made in cls.assigned.get(name, ())):
                layout = layout_of(source) if isinstance(source, ast.Call) else None
                if layout is not None:
                    yield layout

    def saves_its_result(self) -> bool:
        """Tell whether autograd saves a result that the store then touches: `y[i] **= e` with a tensor exponent."""
        node = self.node
        if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Pow):
            return False
        return self.write.kind is WriteKind.AUGMENTED_STORE and not all(o.must_be(NUMBER) for o in self.write.operands)

    def read_while_written_in(self) -> int | None:
        """Return the line in which an operation writes the tensor while it reads an overlapping view of it, if any.

        Autograd computes a wrong gradient for that, so the code had better go on failing.
        """
        roots = self.roots()
        return next((line for root, line in self.run.read_while_written.items() if root in roots), None)

    def is_untracked(self) -> bool:
        """Tell whether neither the tensor nor the values written into it can be part of a graph."""
        return not graph_of(self.value, *self.write.operands)

    def is_metadata(self) -> bool:
        """Tell whether the operation changes the tensor object (its shape, its history) rather than its memory."""
        operator = self.write.operator
        return operator is not None and operator.kind in ("metadata", "detach")

    def roots(self) -> Objs:
        """Return the tensors that own the written memory."""
        if self._roots is None:
            self._roots = self.state.roots(self.value.objs)
        return self._roots

    def owners(self) -> Objs:
        """Return the tensors that own the written memory, and the one by whose `.data` it is written."""
        target = self.write.target
        place = target if is_tensor_data(target, self.run.values) else self.write.data
        owner = self.run.values.get(place.value) if place is not None else None
        return self.roots() if owner is None else self.roots() | self.state.roots(owner.objs)

    def is_saved(self) -> bool:
        """Tell whether any operation may have saved the written memory."""
        return not self.state.saved.keys().isdisjoint(self.roots())

    def is_leaf(self) -> bool:
        """Tell whether the written memory belongs to a tensor made with `requires_grad=True`."""
        return any(o in self.run.leaves for o in self.roots())

    def cuts_gradient(self) -> bool:
        """Tell whether a store to `.data` hides from autograd how the stored values were computed."""
        return self.form is Form.DATA_STORE and self.hides_gradient()

    def hides_gradient(self) -> bool:
        """Tell whether a write hides from autograd how the values it writes were computed."""
        is_hidden = self.form is Form.DATA_STORE or self.is_hidden()
        if not is_hidden or not self.write.record.records:
            return False
        return any(can_be_tracked(operand) for operand in self.write.operands)

    def is_hidden(self) -> bool:
        """Tell whether autograd doesn't see the write, because it goes through `.data`."""
        return self.write.data is not None or self.write.kind is WriteKind.DATA

    def forbidden(self) -> Forbidden | None:
        """Return why torch raises at the write itself, if it does."""
        if not self._is_checked:
            found = why_forbidden(self.run, self.write) or why_unbatched(self.program, self.run, self.write)
            self._forbidden, self._is_checked = found or self._why_passed(), True
        return self._forbidden

    def _why_passed(self) -> Forbidden | None:
        """Return why torch raises at the write to an argument, because of what a caller passes."""
        if not self.write.record.records or self.is_hidden() or is_allowed(self.write):
            return None
        written = self.roots() & looked_into(self.state, self.value.objs)
        for root in sorted(met_after_rounds(self.run, self.write, written)) if not self.write.in_any_order else ():
            name = root.parameter
            found = self.callers.forbidden_passed(self.run.scope, name) if name else None
            if found is not None:
                call, why = found
                passed, line = code_of(call.write.target), call.line(self.program)
                if not why.is_leaf:
                    reason = Forbids.PASSED_PIECE(name=self.name, passed=passed, line=line)
                    return Forbidden(reason, False, is_doubtful=why.is_doubtful)
                is_filled = is_parameter(call.write) and not self.run.scope.of(ast.Return)
                return Forbidden(Forbids.PASSED(name=self.name, passed=passed, line=line), True, is_filled)
        return None

    def harm(self) -> tuple[Harm, Saved | None]:
        """Return the harm of the write, and the operation that saved the memory before, if one did.

        The write is harmful if torch forbids it or autograd certainly saved this memory, or if torch raised in a run.
        """
        if self._harm is None:
            harm, saved = self._worked_out_harm()
            self._harm = Harm.HARMFUL if self.was_harmful else harm, saved
        return self._harm

    def awaited(self) -> Awaited | None:
        """Return what a harmful write waits for, if the code in sight gives none of the tensors concerned a graph."""
        if self.cuts_gradient() and self.value.is_tensor:
            return awaited(self.program, self.run, graph_of(*self.write.operands))
        harm, saved = self.harm()
        forbidden = self.forbidden()
        is_of_leaf = saved is None and forbidden is not None and forbidden.is_leaf
        if harm is not Harm.HARMFUL or self.was_harmful or is_of_leaf:
            return None
        written = graph_of(self.value, *self.write.operands)
        return awaited(self.program, self.run, saved.graph if saved is not None else written)

    def _worked_out_harm(self) -> tuple[Harm, Saved | None]:
        forbidden = self.forbidden()
        is_leaf = forbidden is not None and forbidden.is_leaf
        is_seen = self.write.record.records or not self.is_hidden()
        certain = (self._surely_saved_by_callers() if self._is_guess() else self._surely_saved()) if is_seen else []
        if (certain or (forbidden is not None and not forbidden.is_doubtful)) and not self._is_off():
            if not certain or is_leaf:
                return Harm.HARMFUL, None
            shown = [saved for saved in certain if has_graph_in_sight(self.program, self.run, saved.graph)]
            return Harm.HARMFUL, min(shown or certain, key=by_place)
        if self._may_miss_values():
            return Harm.POSSIBLE, None
        if not all(self._is_saved_by_no_caller(o) for o in self._written() if o.origin is not Origin.FRESH):
            return Harm.POSSIBLE, None
        return Harm.POSSIBLE if certain or forbidden is not None else Harm.HARMLESS, None

    def _is_guess(self) -> bool:
        """Tell whether what is written may well be no tensor."""
        if self.write.is_unclear:
            return True
        is_open = self.value.likely and self._may_replace_element()
        return is_open and not self.run.inference.of(self.write.target).is_like_array

    def _is_off(self) -> bool:
        """Tell whether a guard keeps autograd from recording where the operation runs."""
        record = self.write.record
        return record.records and (not record.is_trained or is_unrecorded(self.program, self.run.scope, self.node))

    def _may_miss_values(self) -> bool:
        """Tell whether a backward may ask for the written memory, which an operation may have saved."""
        keeper = self.state.kept_by(self.value.objs)
        if keeper is not None and keeper.operation == CONSUMER:
            return True
        saves = (saved for o in self._written() for saved in self.state.saved.get(o, ()))
        return any(not is_never_asked_for(self.run, saved) for saved in saves)

    def _targets(self) -> Objs:
        """Return the objects that are written: of a list of tensors, its elements, too (`torch._foreach_add_`)."""
        is_listed = self.write.kind is WriteKind.FUNCTION and self.value.may_be(LIST | TUPLE)
        return self.state.reachable(self.value.objs) if is_listed else self.value.objs

    def _written(self) -> Objs:
        """Return the objects that are written, and all that they may be views of."""
        return self.state.roots(self._targets())

    def _surely_saved(self) -> list[Saved]:
        """Return the operations that saved the written memory, by what the code in sight shows."""
        if self.write.in_any_order:
            return []
        known = certainly_saved(self.run, self.write, self.state.seen(self._targets()))
        if not self.write.record.records:
            known = {s for s in known if s.node and not is_unrecorded(self.program, self.run.scope, s.node)}
        found = [saved for saved in known if may_be_asked_for(self.program, self.run, saved, self.value)]
        if self.saves_its_result():
            found.append(Saved("pow()", self.statement.lineno))
        return found or self._surely_saved_by_callers()

    def _surely_saved_by_callers(self) -> list[Saved]:
        """Return the operations of callers that saved the written memory; they show a tensor where the code doesn't."""
        found: list[Saved | None] = []
        written = met_after_rounds(self.run, self.write, self.state.seen(self._targets()))
        for root in sorted(written) if not self.write.in_any_order else ():
            free = root.label.strip("`") if root.origin is Origin.CLOSURE else None
            passed = self.state.from_callers(root) or free
            if passed is not None and root not in self.run.replaced:
                element, is_open = written_element(self.run, self.write), self._is_guess()
                found.append(self.callers.saved_before(self.run.scope, passed, element, is_open=is_open))
        return [saved for saved in found if saved is not None]

    def _is_saved_by_no_caller(self, root: Obj) -> bool:
        """Tell whether a root is an argument that no caller saved, in a run that sees them all."""
        return root.parameter is not None and self.callers.is_saved_by_none(self.run.scope, root.parameter)


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def is_site(write: Write) -> bool:
    """Tell whether a write goes to a tensor, as far as is known, rather than to a number, a list or an array."""
    kinds = write.value.kinds
    if write.value.is_tensor or (write.kind is WriteKind.FUNCTION and kinds & (LIST | TUPLE)):  # torch._foreach_add_
        return True
    if not kinds & (TENSOR | UNKNOWN):
        return False
    proof = write.kind.value.proof
    if proof is Proof.NAME:
        return evidence.of_name(write.name) is not Evidence.NONE
    return proof is Proof.FORM or (proof is Proof.OPERANDS and any(o.must_be(TENSOR) for o in write.operands))


def form_of(run: Run, write: Write) -> Form:
    """Return the form of an operation; masked stores are told from other subscript stores."""
    if write.kind is WriteKind.AUGMENTED and is_tensor_data(write.target, run.values):
        return Form.DATA_STORE
    if write.kind.form is not Form.SUBSCRIPT_STORE:
        return write.kind.form
    node = write.node
    subscript = node.target if isinstance(node, ast.AugAssign) else node
    assert isinstance(subscript, ast.Subscript)
    index = run.values.get(subscript.slice)
    masked = index is not None and index.is_tensor and index.dtype == "bool"
    return Form.MASKED_STORE if masked else Form.SUBSCRIPT_STORE
