"""The analysis of one module: the runs over its functions, made on demand, with summaries and guesses."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Container, Hashable, Iterator, Sequence
from functools import partial, reduce
from typing import Any, Protocol, TypeVar, cast

from unplace import torchapi
from unplace.analysis.domain.constants import Fixed
from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import LEAF, SEEN, UNSEEN, is_seen
from unplace.analysis.domain.refs import GENERAL, Class, Function, Member, Named, Variant
from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.domain.state import State, weak_join
from unplace.analysis.domain.values import (
    CALLABLE,
    CONTAINER,
    NAMESPACE,
    NONE,
    NUMBER,
    OTHER,
    TEXT,
    UNKNOWN,
    UNKNOWN_VALUE,
    Origin,
    Value,
)
from unplace.analysis.effects.effect import Effect
from unplace.analysis.effects.model_files import ModelTexts, known_libraries
from unplace.analysis.effects.summaries import NO_EFFECT, exits_of, is_vague, special, summarize
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.statements import Interpreter, TooComplexError
from unplace.analysis.project import attributes, members
from unplace.analysis.project.asking import Asking, Memory
from unplace.analysis.project.entering import enter, parameter
from unplace.analysis.project.module import ModuleIndex, home
from unplace.analysis.project.overriding import Methods, is_replaced, methods_of
from unplace.analysis.project.patched import patched_names
from unplace.analysis.project.unfollowed import own_calls
from unplace.analysis.syntax.imports import canonical
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.identities import hands_back, new_object
from unplace.files.surroundings import Standing
from unplace.torchapi import modes

_BUILTINS = frozenset(dir(builtins))

T = TypeVar("T")

_UNDER_WAY = cast("tuple[Run, Snapshot | None]", object())
"""What a walk over a function gives to those that ask for it on the way."""

_MOST_VARIANTS = 4
"""Maximum number of variants of one function that are told apart."""


class Others(Protocol):
    """The other files of the run, as the analysis of a module queries them."""

    asking: Asking

    def value(self, member: Member) -> Value:
        """Return the value of a name that a module defines."""

    def estimate(self, scope: Scope, source: ast.expr) -> Value:
        """Return the value of an expression of another file."""

    def elements_of(self, scope: Scope, source: ast.expr) -> Value:
        """Return the join of the elements of a list or dictionary that an expression of another file creates."""

    def passed(self, program: Program, scope: Scope, name: str) -> Value:
        """Return the join of the values that calls in other files than its own pass for a parameter."""

    def summary(self, asking: Program, function: Function, variant: Variant = GENERAL) -> Effect | None:
        """Return the effect of calling a function of another file; None when it isn't known."""

    def overriding(self, owner: Class, known: Sequence[Class], name: str) -> list[Class] | None:
        """Return the classes that derive from a class, or from `known` ones that do, and define a method."""

    def programs_with(self, names: frozenset[str], path: str, patterns: tuple[str, ...] = ()) -> list[Program]:
        """Return the programs of the other files that contain all of these names, and match one of the patterns."""

    def are_readable(self, names: frozenset[str], path: str) -> bool:
        """Tell whether the other files that contain all of these names can be read and parsed."""

    def program_at(self, path: str) -> Program | None:
        """Return the program of a file as it is on disk; None where it can't be read or parsed."""

    def has_program(self, is_one: Callable[[Program], bool]) -> bool:
        """Tell whether a file of the run is a program of its own, by a test for one that may be."""


class Program:
    """The results for one module: the runs over its functions, their summaries, and guesses of the values of names.

    With `others`, names imported from other files of the run are resolved, too.
    """

    def __init__(self, module: ModuleIndex, others: Others | None = None, derived: tuple[Class, ...] = ()) -> None:
        """Start without results; `derived` are classes of other files that derive from classes of the module."""
        self.module = module
        self._others = others
        self._derived = derived
        self._asking = others.asking if others is not None else Asking()
        self._memory = Memory()
        self._runs: dict[Hashable, tuple[Any, Hashable]] = {}  # with other answers that refer to runs
        self._variants: dict[Scope, set[Fixed]] = {}
        self._askers: dict[Scope, set[Scope]] = {}
        self._of_libraries: dict[str, Value] = {}  # the values of imported names
        self.earlier: dict[tuple[Class, str], Value] = {}
        self.answers: dict[Hashable, object] = {}  # to questions about several runs

    @classmethod
    def of(cls, tree: ast.Module, text: str = "", standing: Standing | None = None, models: ModelTexts = ()) -> Program:
        """Return the analysis of a module that stands alone."""
        return cls(ModuleIndex(tree, None, text, standing, known_libraries(models)))

    def with_tree(self, tree: ast.Module) -> Program:
        """Return the analysis of the same module with another tree."""
        module = self.module
        return Program(ModuleIndex(tree, module.place, module.text, module.standing, module.models), self._others)

    def close(self) -> None:
        """Drop the runs, which refer to their program: without the cycles, their memory is free at once."""
        self._runs.clear()
        self.answers.clear()

    def traces(self) -> Iterator[Hashable]:
        """Iterate over what the answers depend on."""
        return (trace for _, trace in self._memory.answers.values())

    def forget(self, outdated: Container[Hashable]) -> None:
        """Forget the answers that depend on what is outdated."""
        self.close()
        answers = self._memory.answers
        self._memory.answers = {key: known for key, known in answers.items() if known[1] not in outdated}
        self._of_libraries.clear()

    # -- runs and summaries ---------------------------------------------------------------------------------------

    def run(self, scope: Scope, variant: Variant = GENERAL) -> Run | None:
        """Return the finished run over a scope; None when the scope is too complex or its run is under way."""
        done = self._finished(scope, variant)
        return done[0] if done is not None and done is not _UNDER_WAY else None

    def all_runs(self) -> Iterator[Run]:
        """Return the finished runs over all scopes of the module."""
        return (run for scope in self.module.scopes.by_node.values() if (run := self.run(scope)) is not None)

    def _finished(self, scope: Scope, variant: Variant = GENERAL) -> tuple[Run, Snapshot | None] | None:
        question: Hashable = ("run", scope) if variant is GENERAL else ("run", scope, variant)
        return self._asking.answer(
            self._memory, question, lambda: self._tried(scope, variant), None, _UNDER_WAY, self._runs
        )

    def _tried(self, scope: Scope, variant: Variant = GENERAL) -> tuple[Run, Snapshot | None] | None:
        try:
            return self._walk(scope, variant)
        except TooComplexError:
            return None

    def _walk(self, scope: Scope, variant: Variant) -> tuple[Run, Snapshot | None]:
        node = scope.node
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        run = Run(self, scope, body=body, variant=variant)
        state = State()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            enter(self, scope, run, state)
        end = Interpreter(run).block(body, state)
        return run, end.frozen() if end is not None else None

    def summary(self, function: Function, asking: Scope | None = None, variant: Variant = GENERAL) -> Effect | None:
        """Return the effect of calling a function; None when it isn't known. `asking` is the scope of the call."""
        scope = function.scope
        if self._others is not None and not self.module.owns(scope):
            return self._others.summary(self, function, variant)
        if asking is not None:
            self._askers.setdefault(scope, set()).add(asking)
        general = self._effect(("summary", scope), scope, GENERAL)
        if general is None or variant is GENERAL or not is_vague(general):
            return general
        return special(general, self._of_variant(scope, variant), variant)

    def _summarized(self, scope: Scope, variant: Variant = GENERAL) -> Effect | None:
        if variant is GENERAL:
            done = self._finished(scope) if not scope.suspends else None
        else:
            done = self._tried(scope, variant)
        if done is _UNDER_WAY:
            return NO_EFFECT
        return summarize(*done) if done is not None else None

    def _effect(self, question: Hashable, scope: Scope, variant: Variant) -> Effect | None:
        """Return what a walk over a function shows; of one that calls itself, what the other ways through it show."""
        work = partial(self._summarized, scope, variant)
        return self._asking.answer(self._memory, question, work, None, NO_EFFECT)

    def may_write(self, scope: Scope, place: str, variant: Variant) -> bool:
        """Tell whether a variant of a function of the module may write what is passed for a parameter, or held in it.

        parameter: `x`                      attribute of a parameter: `self.queue`
        """
        if variant is GENERAL or self._finished(scope) is None:
            return True
        found = self._of_variant(scope, variant)
        if found is None:
            return True
        return place in found.writes | found.may_write | found.writes_held | found.may_write_held

    def _of_variant(self, scope: Scope, variant: Variant) -> Effect | None:
        """Return the effect of a variant alone; None where it is too complex, or one of too many."""
        known = self._variants.setdefault(scope, set())
        if variant.fixed not in known and len(known) == _MOST_VARIANTS:
            return None
        known.add(variant.fixed)
        return self._effect(("variant", scope, variant.fixed), scope, variant)

    def askers(self, scope: Scope) -> Collection[Scope]:
        """Return the scopes with calls of a function of the module whose values depend on the function's effect."""
        return self._askers.get(scope, ())

    def exits(self, scope: Scope) -> list[tuple[Value, Snapshot]]:
        """Return the returned value and the facts at each exit of a function; nothing when it is too complex."""
        program = self.home_of(scope)
        done = program._finished(scope) if program.module.owns(scope) else None
        return exits_of(*done) if done is not None and done is not _UNDER_WAY else []

    # -- other files ----------------------------------------------------------------------------------------------

    def home_of(self, scope: Scope) -> Program:
        """Return the program of the file that contains a scope."""
        place = home(scope).place
        if self._others is None or place is None or self.module.owns(scope):
            return self
        return self._others.program_at(place.path) or self

    def others_with(self, names: frozenset[str], patterns: tuple[str, ...] = ()) -> list[Program]:
        """Return the programs of the other files that contain all of these names, and match one of the patterns."""
        place = self.module.place
        if self._others is None or place is None:
            return []
        return self._others.programs_with(names, place.path, patterns)

    def can_read(self, names: frozenset[str]) -> bool:
        """Tell whether the other files of the run that contain all of these names can be read and parsed."""
        place = self.module.place
        return self._others is None or place is None or self._others.are_readable(names, place.path)

    def is_among_programs(self, is_one: Callable[[Program], bool]) -> bool:
        """Tell whether a file of the run is a program of its own, by a test for one that may be."""
        return self._others is not None and self._others.has_program(is_one)

    def on_disk(self) -> Program | None:
        """Return the program of this file as other files import it: before anything in it was rewritten."""
        place = self.module.place
        return self._others.program_at(place.path) if self._others is not None and place is not None else None

    # -- names ----------------------------------------------------------------------------------------------------

    def free_name(self, run: Run, node: ast.Name, state: State) -> Value:
        """Return the value of a name not bound at this point of the walk: a global, closure, import or built-in."""
        name = node.id
        owner = self.module.scopes.owner(run.scope, name)
        if owner is None:
            place = self.module.place
            starred = place.others.find_starred(self.module, name) if place is not None else None
            if isinstance(starred, str):
                return self.named(run, canonical(starred), node)
            if starred is not None:
                return self._member(run, starred, node) or UNKNOWN_VALUE
            return Value(CALLABLE, ref=Named(f"builtins.{name}")) if name in _BUILTINS else UNKNOWN_VALUE
        if name in self.module.imports.names and name not in owner.assigned:
            return self.named(run, canonical(self.module.imports.names[name]), node)
        guess = self.guess(owner, name)
        if guess.ref is not None and guess.must_be(CALLABLE):
            return guess
        if guess.kinds & ~(NUMBER | TEXT | NONE) == 0:
            return guess
        origin = Origin.GLOBAL if owner.is_module else Origin.CLOSURE
        outside = UNSEEN if owner.is_module else frozenset([name])
        graph = guess.graph if guess.graph == LEAF else outside | SEEN if is_seen(guess.graph) else outside
        key, words = ("name", owner.name, name), f"`{name}`"
        value = run.foreign(
            key, origin, words, node.lineno, guess.kinds, ref=guess.ref, graph=graph, likely=guess.likely
        )
        self._add_elements(run, value, owner, node, state)
        if name in owner.volatile or owner is run.scope:
            return value._replace(identity=(node, "volatile"), shape=None)
        return value

    def _add_elements(self, run: Run, value: Value, owner: Scope, node: ast.Name, state: State) -> None:
        """Let a list or dictionary from outside the scope hold the elements that the module is seen to put into it."""
        if not value.must_be(CONTAINER):
            return
        first, is_whole = members.display(self, owner, node, is_own=owner is run.scope)
        if not (first and is_whole):
            elements = self.elements(owner, node.id)
            run.fill(state, value, elements, ("element", owner.name, node.id), f"an element of `{node.id}`")
        for holder in value.objs:
            for position, element in enumerate(first) if is_whole or (holder, ANY) in state.heap else ():
                state.heap[(holder, position)] = element

    def contents(self, scope: Scope, node: ast.expr) -> Value:
        """Return the join of the elements of the list or dictionary that an expression evaluates to."""
        owner = self.module.scopes.owner(scope, node.id) if isinstance(node, ast.Name) else None
        if owner is not None and isinstance(node, ast.Name):
            return self.elements(owner, node.id)
        return self.elements_of(scope, node)

    def elements(self, scope: Scope, name: str) -> Value:
        """Return the join of the elements of all displays and comprehensions assigned to a name."""
        return self.answer(("elements", scope, name), lambda: self._elements(scope, name), UNKNOWN_VALUE)

    def _elements(self, scope: Scope, name: str) -> Value:
        found: Value | None = None
        for source in self.module.bindings(scope).sources.get(name, ()):
            held = self.elements_of(scope, source) if isinstance(source, ast.expr) else UNKNOWN_VALUE
            found = held if found is None else weak_join(found, held)
        if found is not None and (found.ref is not None or found.kinds == UNKNOWN):
            found = members.listed(self, scope, name) or (found if found.ref is None else None)
        return found if found is not None else UNKNOWN_VALUE

    def elements_of(self, scope: Scope, source: ast.expr) -> Value:
        """Return the join of the elements of the list or dictionary that an expression creates."""
        if self._others is not None and not self.module.owns(scope):
            return self._others.elements_of(scope, source)
        question = "elements of", scope, source
        return self.answer(question, lambda: self._elements_of(scope, source), UNKNOWN_VALUE)

    def _elements_of(self, scope: Scope, source: ast.expr) -> Value:
        run, state = Run(self, scope), State()
        run.statement = ast.copy_location(ast.Pass(), source)
        container = Interpreter(run).evaluator.evaluate(source, state)
        found: Value | None = None
        for _, held in state.reachable_slots(container.objs):
            found = held if found is None else weak_join(found, held)
        return found if found is not None else UNKNOWN_VALUE

    def named(self, run: Run | None, qualified: str, node: ast.AST) -> Value:
        """Return the value of an imported name, given its qualified name."""
        target = self.module.target(qualified)
        if isinstance(target, Member):
            found = self._member(run, target, node)
            return found if found is not None else Value(NAMESPACE, ref=Named(qualified))
        if target not in self._of_libraries:
            known = self.module.canonical(target)
            self._of_libraries[target] = UNKNOWN_VALUE if known in patched_names(self.module) else _of_library(known)
        return self._of_libraries[target]

    def _member(self, run: Run | None, member: Member, node: ast.AST) -> Value | None:
        """Return the value of a name that another file defines; None where it isn't known."""
        place = self.module.place
        assert place is not None
        assert self._others is not None
        if not member.name:
            return Value(NAMESPACE, ref=Named(place.others.module_name(member.path)))
        value = self._others.value(member)
        if value.must_be(CALLABLE) or value.kinds & ~(NUMBER | TEXT | NONE) == 0:
            return value
        if run is None or value.kinds & UNKNOWN:
            return None
        return run.foreign(
            member,
            Origin.GLOBAL,
            f"`{member.name}`",
            getattr(node, "lineno", 0),
            value.kinds,
            ref=value.ref,
            graph=value.graph if value.graph == LEAF else UNSEEN,
            likely=value.likely,
        )

    # -- guesses: values of names without regard to the flow ------------------------------------------------------

    def guess(self, scope: Scope, name: str) -> Value:
        """Return the value of a name of a scope, as the join of everything assigned to it there."""
        return self.answer(("guess", scope, name), lambda: self._guess(scope, name), UNKNOWN_VALUE)

    def answer(self, question: Hashable, work: Callable[[], T], otherwise: T) -> T:
        """Return the answer to a question about the file, which `work` finds once; `otherwise` says nothing."""
        return self._asking.answer(self._memory, question, work, otherwise, otherwise)

    def answer_for_now(self, question: Hashable, work: Callable[[], T], otherwise: T) -> T:
        """Do the same as `answer`, for an answer that refers to runs or programs: it is dropped with the runs."""
        return self._asking.answer(self._memory, question, work, otherwise, otherwise, self._runs)

    def _guess(self, scope: Scope, name: str) -> Value:
        values = [parameter(self, scope, argument) for argument in scope.parameters if argument.arg == name]
        for source in self.module.bindings(scope).sources.get(name, ()):
            if isinstance(source, ast.FunctionDef | ast.AsyncFunctionDef):
                values.append(self._function_value(source, scope))
            elif isinstance(source, ast.ClassDef):
                values.append(Value(CALLABLE, ref=self.module.classes.get(source)))
            elif isinstance(source, ast.expr):
                if not hands_back(self, scope, name, source):
                    values.append(new_object(self, scope, source) or self.estimate(scope, source))
            else:
                values.append(UNKNOWN_VALUE)
        if values and all(value.must_be(NONE | CALLABLE) for value in values):  # `nonlocal` and `global` replace it
            values += [self.guess(inner, name) for inner in scope.rebinding(name)]
        return reduce(weak_join, values) if values else UNKNOWN_VALUE

    def _function_value(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Value:
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.module.qualified(scope, target) not in modes.KEEPING_FUNCTIONS:
                return Value(CALLABLE)
        return Value(CALLABLE, ref=Function(self.module.scopes.by_node[node]))

    def estimate(self, scope: Scope, node: ast.expr) -> Value:
        """Return the value of an expression without regard to the flow up to it: fit for kinds, not for aliases."""
        if self._others is not None and not self.module.owns(scope):
            return self._others.estimate(scope, node)
        return self.answer(("estimate", scope, node), lambda: self._estimate(scope, node), UNKNOWN_VALUE)

    def _estimate(self, scope: Scope, node: ast.expr) -> Value:
        run = Run(self, scope)
        run.statement = ast.copy_location(ast.Pass(), node)
        return Interpreter(run).evaluator.evaluate(node, State())

    def passed_elsewhere(self, scope: Scope, name: str) -> Value:
        """Return the join of the values that calls in other files of the run pass for a parameter."""
        others = self._others
        if others is None:
            return UNKNOWN_VALUE
        return self.answer(("passed", scope, name), lambda: others.passed(self, scope, name), UNKNOWN_VALUE)

    def may_be_own(self, scope: Scope, call: ast.Call) -> bool:
        """Tell whether a call in a scope may reach a function of the module, or of another one of the run."""
        return own_calls(self.module).may_reach(scope, call)

    # -- classes --------------------------------------------------------------------------------------------------

    def descendants(self, owner: Class) -> Iterator[Class]:
        """Iterate over the classes that derive from a class, as far as this file, its own and the asking ones know."""
        yield from self.module.descendants(owner)
        yield from (c for c in self._derived if c is not owner and owner in c.linearized())

    def overriding(self, owner: Class, name: str) -> tuple[Class, ...] | None:
        """Return the descendants of a class, with those of other files that may have their own attribute of a name.

        None where too many files may have one.
        """
        known = tuple(self.descendants(owner))
        elsewhere = self._others.overriding(owner, known, name) if self._others is not None else ()
        return (*known, *elsewhere) if elsewhere is not None else None

    def derived_from(self, owner: Class) -> tuple[Class, ...]:
        """Return the known classes that derive from a class of another file and are defined outside that file."""
        return tuple(c for c in self.descendants(owner) if c.scope.module is not owner.scope.module)

    def methods(self, owner: Class, name: str, *, is_exact: bool = False) -> Methods:
        """Return the methods that a call may run, also those of derived classes unless the class `is_exact`."""
        question = "methods", owner, name, is_exact
        return self.answer(question, lambda: self._methods(owner, name, is_exact), Methods())

    def _methods(self, owner: Class, name: str, is_exact: bool) -> Methods:
        derived = () if is_exact else self.overriding(owner, name)
        is_known = derived is not None and not is_replaced(owner, derived, name, self.module)
        return methods_of(owner, name, derived or ()) if is_known else Methods()

    def attribute(self, owner: Class, name: str) -> Value:
        """Return the value of an attribute of instances, as the join of everything that the class assigns to it."""
        earlier = self.earlier.get((owner, name))
        if earlier is not None:
            return earlier
        return self.answer(("attribute", owner, name), lambda: attributes.value_of(self, owner, name), UNKNOWN_VALUE)

    def attribute_elements(self, owner: Class, name: str) -> Value:
        """Return the join of the elements of an attribute that is a list or dictionary."""
        question = "attribute's elements", owner, name
        return self.answer(question, lambda: attributes.elements(self, owner, name), UNKNOWN_VALUE)


def _of_library(qualified: str) -> Value:
    """Return the value of a name that a library defines."""
    if torchapi.function(qualified) is not None or torchapi.module(qualified) is not None:
        return Value(CALLABLE, ref=Named(qualified))
    if torchapi.inplace_function(qualified) is not None or torchapi.inplace_flag(qualified) is not None:
        return Value(CALLABLE, ref=Named(qualified))
    last = qualified.rsplit(".", 1)[-1]
    if qualified in modes.NUMBERS:
        return Value(NUMBER)
    if qualified.startswith("math."):
        return Value(NUMBER | CALLABLE, ref=Named(qualified))
    if qualified.startswith(("torch.", "numpy.")) and last in modes.DTYPES:
        return Value(OTHER)
    return Value(NAMESPACE, ref=Named(qualified))
