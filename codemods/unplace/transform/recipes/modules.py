"""Legality of dropping `inplace=True` from a module: the layers before it, and how the file uses the module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from unplace import torchapi
from unplace.analysis.project.argument_binding import default_for, taken_by
from unplace.analysis.project.layerwise import is_taken_apart
from unplace.analysis.project.module import ModuleIndex, once, parents_in, uses_by_name
from unplace.analysis.project.program import Program
from unplace.analysis.project.unfollowed import has_forward_hooks, has_keeping_hooks
from unplace.analysis.queries.inputs import (
    ReadBehind,
    is_read_once,
    read_after,
    read_after_calls,
    read_after_unpacked,
    switched,
    thrown_away_call,
)
from unplace.analysis.syntax.bindings import last_name, named_store
from unplace.analysis.syntax.nodes import Parents
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.catalogue import Assumption, Purpose
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi import Result, View
from unplace.torchapi.modules import ADDING, EXTENDING, REPARAMETRISING
from unplace.transform.caught import respected
from unplace.transform.decisions import Decision
from unplace.transform.emit.arguments import drop_argument
from unplace.transform.emit.snippet import Change
from unplace.transform.flags import Flag, Makes, has_flag
from unplace.transform.intent import contradicted
from unplace.transform.legality import assumptions_about, changing_what_is_saved, settled
from unplace.transform.normal_form import keeping_order
from unplace.transform.recipes import expressions
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Inline, Keep, Rebind, Refuse, Split, Verdict

_Place = tuple[Scope | None, str]
"""A name with the scope that binds it, or an attribute."""

_FLAG = "inplace"
_NOBODY = Assumption.INPUT_UNREAD()
_FUNCTION_INPUT = Assumption.FUNCTION_INPUT_UNREAD()


@dataclass(slots=True)
class Judge:
    """The legality of dropping `inplace=True` from the modules of one file."""

    program: Program
    _reads: dict[str, list[ast.expr]] = field(default_factory=dict)

    def decide(self, flag: Flag, calls: list[Site]) -> Verdict:
        """Decide whether clearing a flag can be noticed; `calls` are the calls of its module that the file shows.

        Nobody is assumed not to read the input where a call that may be one of them by its name shows otherwise. If the
        call may run other modules before, they are assumed to make a new tensor.
        """
        verdict = self._by_facts(flag, calls)
        if isinstance(verdict, Inline) and verdict.assumptions and has_keeping_hooks(self.program):
            return Refuse(Refusal.HOOKED())
        is_open = isinstance(verdict, Inline) and not {_NOBODY, _FUNCTION_INPUT}.isdisjoint(verdict.assumptions)
        thrown = thrown_away_call(self.program, self._made(flag), [c.node for c in calls]) if is_open else None
        if thrown is not None:
            return Refuse(Refusal.THROWN_AWAY(name=ast.unparse(thrown)))
        read = self._read_after(flag) if is_open and not calls else None
        if read is None:
            return verdict
        if read.is_within:
            place = f"what `{ast.unparse(read.call.func)}` overwrites"
            return _with(Assumption.RESULT_HELD_ALONE(place=place), verdict)
        return Refuse(Refusal.READ_AFTER_MODULE(name=read.name, line=Line(read.call.lineno)))

    def _by_facts(self, flag: Flag, calls: list[Site]) -> Verdict:
        reader = _reader(self.program.module)
        if reader is not None:
            return Refuse(Refusal.FLAG_READ(line=Line(reader.lineno)))
        if flag.asked_by:
            return Keep(Purpose.FLAG_ASKS(flag=flag.asked_by))
        if flag.other_use is not None:
            return Refuse(Refusal.FLAG_USED(name=ast.unparse(flag.other_use), line=Line(flag.other_use.lineno)))
        if flag.makes is Makes.RESULT and (calls or is_read_once(self.program, flag.scope, flag.node)):
            return _by_calls(calls)
        if flag.makes is not Makes.MODULE:
            verdict = _by_calls(calls)
            if calls and isinstance(flag.node, ast.Call) and self._is_only_called(flag.node, is_class=flag.is_of_class):
                return verdict
            return _with(_FUNCTION_INPUT if flag.is_of_function else _NOBODY, verdict)
        assert isinstance(flag.node, ast.Call)
        verdict = self._decide(flag.scope, flag.node, flag.qualified, calls)
        is_named = flag.qualified is None or self.program.module.qualified(flag.scope, flag.node.func) is not None
        optional = Assumption.FLAG_OPTIONAL(name=ast.unparse(flag.node.func))
        return verdict if is_named or not flag.is_dropped else _with(optional, verdict)

    def _read_after(self, flag: Flag) -> ReadBehind | None:
        """Return a name that is read after a call which may overwrite it because of a flag."""
        if isinstance(flag.node, ast.Dict):
            return read_after_unpacked(self.program, flag.node)
        if flag.makes is not Makes.RESULT:
            return read_after_calls(self.program, self._made(flag))
        assert isinstance(flag.node, ast.Call)
        name = read_after(self.program, flag.scope, flag.node)
        return ReadBehind(name, flag.node) if name is not None else None

    def _made(self, flag: Flag) -> list[ast.Call]:
        """Return the calls that make modules which a flag puts to work in place, as far as the file shows them."""
        if isinstance(flag.node, ast.Dict):
            return []
        if isinstance(flag.node, ast.Assign) or named_store(flag.node) is not None:
            return switched(self.program, flag.scope, flag.node)
        return [flag.node] if flag.makes is not Makes.RESULT and isinstance(flag.node, ast.Call) else []

    def _decide(self, scope: Scope, node: ast.Call, qualified: str | None, calls: list[Site]) -> Verdict:
        module = torchapi.module(qualified) if qualified is not None else None
        if module is not None and module.ignores_inplace:
            return Inline(())
        changing = next((found for site in calls if (found := changing_what_is_saved(site)) is not None), None)
        if changing is not None:
            return changing
        parent = self._parent(node)
        if isinstance(parent, ast.Call) and node in parent.args:
            if self.program.module.qualified(scope, parent.func) == "torch.nn.Sequential":
                whole = self._is_called_whole(parent) and not self._is_taken_apart(parent)
                return self._in_sequence(scope, parent.args, parent.args.index(node), whole, calls)
        elif isinstance(parent, ast.List) and self._only_becomes_sequential(scope, parent):
            whole = not self._is_taken_apart(parent)
            return self._in_sequence(scope, parent.elts, parent.elts.index(node), whole, calls)
        verdict = _by_calls(calls)
        if isinstance(verdict, Inline) and (not calls or not self._is_only_called(node)):
            return Inline((_NOBODY, *verdict.assumptions))
        return verdict

    def _in_sequence(
        self, scope: Scope, elements: list[ast.expr], index: int, whole: bool, calls: list[Site]
    ) -> Verdict:
        """Decide by the layers before position `index`, skipping those that may return their input."""
        seen = _by_calls(calls)
        if isinstance(seen, Refuse) and (index == 0 or not whole):
            return seen
        if index == 0:
            return Inline((Assumption.CONTAINER_INPUT_UNREAD(),))
        extra = () if whole else (Assumption.RUN_TOGETHER(),)
        for element in reversed(elements[:index]):
            before = self._reparametrised(scope, element)
            if not isinstance(before, ast.Call):
                break
            qualified = self.program.module.qualified(scope, before.func)
            module = torchapi.module(qualified) if qualified is not None else None
            if module is None:
                break
            if module.view is View.NEVER and module.result is Result.TENSOR and not has_flag(before, module.inplace):
                is_seen = has_forward_hooks(self.program.module)  # a hook may hold what a layer returns
                held = Assumption.LAYER_HELD_ALONE(layer=ast.unparse(element))
                return Inline((*extra, held) if is_seen else extra)
        if isinstance(seen, Refuse):
            return seen
        held = Assumption.LAYER_HELD_ALONE(layer=ast.unparse(elements[index - 1]))
        return Inline((held, *extra))

    def _reparametrised(self, scope: Scope, element: ast.expr) -> ast.expr:
        """Return `layer` of `spectral_norm(layer)`, and any other expression itself."""
        while isinstance(element, ast.Call) and element.args:
            if self.program.module.qualified(scope, element.func) not in REPARAMETRISING:
                break
            element = element.args[0]
        return element

    def at_calls(
        self, node: ast.AST, qualified: str | None, calls: list[Site], rule: CallRule, busy: set[ast.stmt]
    ) -> list[Decision]:
        """Return decisions by which every call of the module takes the new tensor; empty if one call can't.

        `busy` are the statements that contain other in-place operations.
        """
        if _reader(self.program.module) is not None:
            return []
        found: list[Decision] = []
        statements = [site.statement for site in calls]
        for site in calls:
            statement, call = site.statement, site.node
            is_alone = isinstance(call, ast.Call) and not site.write.is_one_of_several
            if not is_alone or statement in busy or statements.count(statement) > 1:
                return []
            assert isinstance(call, ast.Call)
            verdict: Verdict | None = settled(site)
            if verdict is None and call is expressions.value_of(statement):
                verdict = expressions.decide_spine(statement, [site], {site: rule})
            elif verdict is None:
                verdict = expressions.decide_inline(statement, [site])
            verdict = respected((site,), keeping_order((site,), verdict))
            if not isinstance(verdict, Rebind | Inline | Split) or contradicted(site, call, verdict) is not None:
                return []
            change = _of_function(without_flag(qualified)) if call.func is node else None
            found.append(Decision(site, rule, verdict, change))
        return found

    def of_uses(self, node: ast.AST) -> tuple[Reason, ...]:
        """Return the assumptions about uses of a module that aren't calls in this file."""
        parent = self._parent(node)
        is_called = isinstance(parent, ast.Call) and parent.func is node
        return () if is_called or self._is_only_called(node) else (_NOBODY,)

    # -- how the file uses a module -------------------------------------------------------------------------------

    def _parent(self, node: ast.AST) -> ast.AST | None:
        return self._around().get(node)

    def _around(self) -> Parents:
        return parents_in(self.program.module, self.program.module.scopes.module)

    def _bound_to(self, node: ast.AST, depth: int = 3) -> set[_Place] | None:
        """Return the names and attributes that hold the value of a call in the file; None where it goes elsewhere."""
        parent = self._parent(node)
        if isinstance(parent, ast.Assign) and parent.value is node:
            places = [place for t in parent.targets if (place := self._place(t)) is not None]
            return set(places) if len(places) == len(parent.targets) else None
        if isinstance(parent, ast.Return) and depth:
            function = parent
            while function is not None and not isinstance(function, ast.FunctionDef):
                function = self._parent(function)  # type: ignore[assignment]
            if function is None:
                return None
            found: set[_Place] = set()
            for _, call in self.program.module.calls_named(function.name):
                found |= self._bound_to(call, depth - 1) or set()
            return found
        return self._taken(node)

    def _taken(self, node: ast.AST) -> set[_Place] | None:
        """Return the parameter of a function of the file that gets the value of an expression, if one does."""
        parent, taken = self._parent(node), None
        if isinstance(parent, ast.keyword):
            parent = self._parent(parent)
        if isinstance(parent, ast.arguments) and isinstance(node, ast.expr):
            taken = default_for(self.program.module, node, parent)
        elif isinstance(parent, ast.Call) and isinstance(node, ast.expr) and node is not parent.func:
            taken = taken_by(self.program, self.program.module.scopes.around(parent), parent, node)
        return {taken} if taken is not None else None

    def _place(self, node: ast.expr) -> _Place | None:
        """Return the place that a name or an attribute stands for; attributes of all objects count as one."""
        if isinstance(node, ast.Attribute):
            return None, node.attr
        if not isinstance(node, ast.Name):
            return None
        scopes = self.program.module.scopes
        return scopes.owner(scopes.around(node), node.id) or scopes.module, node.id

    def _loads(self, places: set[_Place]) -> Iterator[ast.expr]:
        """Iterate over the reads of places; what a module or a class binds can be read as an attribute, too."""
        if not self._reads:
            for node in self.program.module.scopes.parents:
                name = last_name(node)
                if name is not None and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                    self._reads.setdefault(name, []).append(node)  # type: ignore[arg-type]
        for owner, name in places:
            is_attribute = owner is None or owner.is_module or owner.is_class
            for node in self._reads.get(name, ()):
                if is_attribute if isinstance(node, ast.Attribute) else self._place(node) == (owner, name):
                    yield node

    def _is_only_called(self, node: ast.AST, *, is_class: bool = False) -> bool:
        """Tell whether every use of the module in the file is a call of it, or puts it where every use is one.

        With `is_class`, the node has a class, and so it must be with the modules that calls of the class make.
        """
        todo, made, seen = [node], list[ast.AST](), set[_Place]()
        while todo:
            use = todo.pop()
            parent = self._parent(use)
            if isinstance(parent, ast.Call) and parent.func is use:
                made.append(parent)
                continue
            if isinstance(parent, ast.Dict | ast.Subscript) and isinstance(use, ast.expr) and _is_element(use, parent):
                todo.append(parent)
                continue
            places = self._bound_to(use)
            if not places:
                return False
            todo += self._loads(places - seen)
            seen |= places
        if is_class and not all(map(self._is_only_called, made)):
            return False
        return not any(map(self._may_be_used_otherwise, seen))

    def _may_be_used_otherwise(self, place: _Place) -> bool:
        """Tell whether other files, or a `getattr`, may do more with what is in a place than call it.

        A derived class of another file may read the input of `self.act(h)`, and so may whoever imports `ACTS`.
        """
        (scope, name), module = place, self.program.module
        if scope is not None:
            return scope.is_module and module.is_named_elsewhere(name)
        given = (call.args[1] for _, call in module.calls_named("getattr") if len(call.args) > 1)
        if any(isinstance(argument, ast.Constant) and argument.value == name for argument in given):
            return True
        holders = (cls for cls in module.classes.values() if name in cls.assigned)
        families = (self.program.overriding(holder, name) for holder in holders)
        return any(family is None or not all(module.owns(cls.scope) for cls in family) for family in families)

    def _is_called_whole(self, node: ast.Call) -> bool:
        """Tell whether nothing in the file iterates over an `nn.Sequential` or takes its layers one by one."""
        names = self._bound_to(node) or set()
        for use in self._loads(names):
            parent = self._parent(use)
            if isinstance(parent, ast.Call) and parent.func is use:
                continue
            if isinstance(parent, ast.Attribute) and parent.attr not in (
                "children",
                "modules",
                "named_children",
                "_modules",
            ):
                continue
            if isinstance(parent, ast.Return | ast.Assign):
                continue
            if isinstance(parent, ast.Call) and last_name(parent.func) not in (
                "enumerate",
                "zip",
                "iter",
                "list",
                "tuple",
                "reversed",
            ):
                continue
            return False
        return True

    def _is_taken_apart(self, container: ast.expr) -> bool:
        """Tell whether code of the run may run layers of a container, or of one that holds it, one by one."""
        return is_taken_apart(self.program.module, frozenset(self._names_of(container)))

    def _names_of(self, container: ast.expr) -> Iterator[str]:
        """Iterate over the names in the file that stand for a container of layers, or for one that holds it.

        self.body = nn.Sequential(nn.Sequential(...), ...)          layers.append(nn.Sequential(...))
        """
        todo, seen = list[ast.AST]([container]), set[_Place]()
        while todo:
            use: ast.AST | None = todo.pop()
            while use is not None and not isinstance(use, ast.stmt):
                places = self._bound_to(use) or self._added_to(use, ADDING | EXTENDING)
                todo += self._loads(places - seen)
                seen |= places
                use = self._parent(use)
        yield from (name for _, name in seen)

    def _added_to(self, node: ast.AST, methods: frozenset[str]) -> set[_Place]:
        """Return the list to which a call of one of some methods, or an augmented assignment, adds layers."""
        parent, place = self._parent(node), None
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and node in parent.args:
            place = self._place(parent.func.value) if parent.func.attr in methods else None
        elif isinstance(parent, ast.AugAssign) and node is parent.value:
            place = self._place(parent.target)
        return {place} if place is not None else set()

    def _only_becomes_sequential(self, scope: Scope, display: ast.List) -> bool:
        """Tell whether a list of layers has no other use than `nn.Sequential(*layers)`."""
        places = self._added_to(display, EXTENDING) or self._bound_to(display)
        place = next(iter(places)) if places else None
        if place is None:
            return False
        spread = False
        for use in self._loads({place}):
            around = self._parent(use)
            if isinstance(around, ast.Starred):
                call = self._parent(around)
                if (
                    not isinstance(call, ast.Call)
                    or self.program.module.qualified(scope, call.func) != "torch.nn.Sequential"
                ):
                    return False
                if not self._is_called_whole(call):
                    return False
                spread = True
            elif not (isinstance(around, ast.Attribute) and around.attr in ("append", "extend")):
                return False
        return spread


@once
def _reader(module: ModuleIndex) -> ast.expr | None:
    """Return an expression that reads the flags of modules: `m.inplace`, `getattr(m, "inplace")`, `m.extra_repr()`."""
    for _, node in uses_by_name(module).get(_FLAG, ()):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and not _is_own(node):
            return node
    texts, parents = module.scopes.texts, module.scopes.parents
    told: list[ast.expr] = [call for _, call in module.calls_named("getattr") if any(map(_is_flag, call.args[1:2]))]
    told += [node for node in texts.get(_FLAG, ()) if isinstance(parents.get(node), ast.Subscript)]
    told += [node for text, found in texts.items() if _tells_flag(text) for node in found]
    calls = [call for _, call in module.calls_named("extra_repr") if not _is_own(call.func)]
    return next(iter([*told, *calls]), None)


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == _FLAG


def _tells_flag(text: str) -> bool:
    """Tell whether a text leads to the flag of a module, `act.inplace`, or is a part of what a module prints."""
    return text.endswith(f".{_FLAG}") or text.startswith(f"{_FLAG}=")


def _is_element(node: ast.expr, around: ast.Dict | ast.Subscript) -> bool:
    """Tell whether an expression is a value of a dictionary, or a dictionary of which an element is read."""
    if isinstance(around, ast.Dict):
        return node in around.values
    return node is around.value and isinstance(around.ctx, ast.Load)


def _by_calls(calls: list[Site]) -> Verdict:
    """Return the verdict on a module by its calls: nothing may read the input afterwards."""
    assumptions: list[Reason] = []
    for site in calls:
        observers = site.observers()
        if observers.blockers:
            return Refuse(observers.blockers[0])
        if observers.together or observers.views:
            name = observers.together[0] if observers.together else observers.views[0].name
            line = site.node.lineno  # type: ignore[attr-defined]
            return Refuse(Refusal.READ_AFTER_MODULE(name=str(name), line=Line(line)))
        found = (*assumptions_about(site), *observers.assumptions)
        verdict = contradicted(site, site.node, Inline(found)) or respected(
            (site,), keeping_order((site,), Inline(found))
        )
        if isinstance(verdict, Refuse):
            return verdict
        assumptions += found
    return Inline(tuple(dict.fromkeys(assumptions)))


def _with(assumption: Reason, verdict: Verdict) -> Verdict:
    """Return a verdict that rests on a further assumption if it is a rewrite."""
    return Inline((assumption, *verdict.assumptions)) if isinstance(verdict, Inline) else verdict


def calls_of(sites: list[Site]) -> dict[ast.AST, list[Site]]:
    """Group the calls of modules by the constructor call of the module."""
    found: dict[ast.AST, list[Site]] = {}
    for site in sites:
        if site.write.source is not None:
            found.setdefault(site.write.source, []).append(site)
    return found


def _of_function(change: Change) -> Change:
    """Apply a change to the function of a call: `nn.ReLU(inplace=True)(x)` becomes `nn.ReLU()(x)`."""

    def changed(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        return node.with_changes(func=change(node.func))

    return changed


def without_flag(qualified: str | None) -> Change:
    """Return the change that removes `inplace` from a constructor call."""
    module = torchapi.module(qualified) if qualified is not None else None
    return drop_argument(module.inplace if module is not None else None, "inplace")
