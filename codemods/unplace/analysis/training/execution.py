"""Executes statements, and functions of the run with what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from unplace.analysis.domain.gradmode import AS_CALLED, GradMode, entered
from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.refs import Named as Ref
from unplace.analysis.domain.values import OTHER, Value
from unplace.analysis.project.module import home
from unplace.analysis.syntax.nodes import FUNCTIONS, TRIES
from unplace.analysis.syntax.scopes import all_parameters
from unplace.analysis.training import calls, expressions
from unplace.analysis.training.attributes import attribute_of, name_of
from unplace.analysis.training.expressions import truth_of
from unplace.analysis.training.functions import counted
from unplace.analysis.training.machine import tensor
from unplace.analysis.training.methods import changed_in_place, frozen
from unplace.analysis.training.trail import Ran
from unplace.analysis.training.values import (
    NONE,
    UNKNOWN,
    Function,
    Given,
    Instance,
    Items,
    Known,
    Made,
    Named,
    Outside,
    Table,
    Tensor,
    Thing,
    Weights,
    graph_of,
)
from unplace.analysis.training.world import Frame, World

_MOST_ROUNDS = 6
"""Maximum number of elements of a list that a loop goes through."""

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_RETURN, _BREAK, _CONTINUE = "return", "break", "continue"


class Execution:
    """The execution of one file, in one world."""

    def __init__(self, world: World) -> None:
        """Begin where nothing has run."""
        self.world = world

    # -- what the parts ask each other ----------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Thing:
        """Return what an expression evaluates to."""
        self.world.spend()
        return expressions.evaluate(self, node)

    def attribute(self, owner: Thing, name: str) -> Thing:
        """Return an attribute of a thing."""
        return attribute_of(self, owner, name)

    def call(self, node: ast.Call, callee: Thing, given: Given) -> Thing:
        """Return the result of a call."""
        return calls.call(self, node, callee, given)

    def elements(self, thing: Thing) -> list[Thing]:
        """Return the elements of a thing, as a loop gets them."""
        if isinstance(thing, Items):
            return thing.items[:_MOST_ROUNDS]
        if isinstance(thing, Table):
            keys: list[Thing] = [Known(key) if isinstance(key, str | int) else UNKNOWN for key in thing.items]
            return keys[:_MOST_ROUNDS]
        if isinstance(thing, Tensor):
            return [Tensor(thing.graph, thing.leaf, thing.rounds) for _ in range(2)]
        if isinstance(thing, Outside):
            return [expressions.element_of(self, thing, UNKNOWN)] * 2
        return [UNKNOWN, UNKNOWN]

    # -- functions ------------------------------------------------------------------------------------------------

    def run(self, function: Function, given: Given, call: ast.AST | None, *, is_module_call: bool = False) -> Thing:
        """Return the result of a function of the run."""
        world, node = self.world, function.node
        if not world.goes_deeper(node):
            world.blur()
            return tensor(self, given.all())
        names = self._bound(function, given)
        frame = Frame(
            function.module, node, names, function.around, function.owner, function.receiver, call, is_module_call
        )
        world.executed.add(node)
        world.frames.append(frame)
        with self._recording(_mode_of_decorators(node)):
            if isinstance(node, ast.Lambda):
                result = self.evaluate(node.body)
            else:
                self.block(node.body)
                result = frame.result if frame.result is not None else NONE
        world.frames.pop()
        return Items(frame.given) if frame.given else result

    def _bound(self, function: Function, given: Given) -> dict[str, Thing]:
        """Return what the parameters of a function are bound to; what a call doesn't give comes from outside."""
        signature = function.node.args
        positional = [argument.arg for argument in (*signature.posonlyargs, *signature.args)]
        values = [*([function.receiver] if function.receiver is not None else []), *given.positional]
        names: dict[str, Thing] = dict(zip(positional, values, strict=False))
        if signature.vararg is not None:
            names[signature.vararg.arg] = Items(values[len(positional) :])
        known = {*positional, *(argument.arg for argument in signature.kwonlyargs)}
        names |= {name: thing for name, thing in given.named.items() if name in known}
        if signature.kwarg is not None:
            names[signature.kwarg.arg] = Table({n: thing for n, thing in given.named.items() if n not in known})
        defaults = dict(zip(reversed(positional), reversed(signature.defaults), strict=False))
        keyed = zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
        defaults |= {argument.arg: value for argument, value in keyed if value is not None}
        for argument in all_parameters(signature):
            if argument.arg not in names:
                default = defaults.get(argument.arg)
                names[argument.arg] = self._default(default) if default is not None else self._outside(argument)
        return names

    def _default(self, node: ast.expr) -> Thing:
        return self.evaluate(node) if isinstance(node, ast.Constant) else UNKNOWN

    def _outside(self, argument: ast.arg) -> Thing:
        """Return what a caller that isn't in sight passes: an object of the class that the annotation names."""
        annotation = argument.annotation
        if isinstance(annotation, ast.Name | ast.Attribute):
            made = self.evaluate(annotation)
            if isinstance(made, Made):
                return self.made(made.of)
            if isinstance(made, Named) and made.qualified == "torch.Tensor":
                return Tensor()
            if isinstance(made, Named) and made.qualified in ("torch.nn.Parameter",):
                return Tensor(leaf=Weights())
        return Outside(argument.arg, Weights(is_given=True))

    def made(self, of: Class) -> Thing:
        """Return an object of a class whose constructor gets what isn't known."""
        return calls.constructed(self, None, Made(of), Given())

    def fill(self, owner: Instance, name: str) -> bool:
        """Run a method that stores a missing attribute of an object, and tell whether there is one."""
        running = {frame.node for frame in self.world.frames}
        for cls in owner.of.linearized():
            for scope, _ in cls.assigned.get(name, ()):
                node = scope.node
                if isinstance(node, FUNCTIONS) and node not in running and node not in owner.filled:
                    owner.filled.add(node)
                    self.run(Function(node, home(scope), (), cls, owner), Given(), None)
                    return True
        return False

    # -- blocks ---------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> str | None:
        """Execute statements, and return how they leave the block, if they do."""
        world, entered = self.world, self.world.tick()
        for index, statement in enumerate(statements):
            world.spend()
            start = world.tick()
            work = _STATEMENTS.get(type(statement))
            leaving = work(self, statement) if work is not None else None
            if world.trail is not None:
                world.trail.statements.append(Ran(statements, entered, index, start, world.tick()))
            if leaving is not None:
                return leaving
        return None

    def bind(self, target: ast.expr, thing: Thing) -> None:
        """Bind what a target names."""
        frame = self.world.frames[-1]
        if isinstance(target, ast.Name):
            is_global = target.id in frame.global_names
            names = self.world.globals.setdefault(frame.module, {}) if is_global else frame.names
            names[target.id] = thing
            self._note_bound(names, target.id)
        elif isinstance(target, ast.Attribute):
            self._bind_attribute(self.evaluate(target.value), target.attr, thing, target)
        elif isinstance(target, ast.Subscript):
            self._bind_element(self.evaluate(target.value), self.evaluate(target.slice), thing, target)
        elif isinstance(target, ast.Tuple | ast.List):
            self._bind_parts(target.elts, thing)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, thing)

    def _note_bound(self, owner: object, name: str) -> None:
        if self.world.trail is not None:
            self.world.trail.binds(self.world.time, owner, name)

    def _bind_attribute(self, owner: Thing, name: str, thing: Thing, node: ast.AST) -> None:
        self._note_bound(owner, name)
        if isinstance(owner, Instance | Outside):
            owner.fields[name] = thing
        elif name == "requires_grad":
            frozen([owner], thing)
        elif name == "data" and isinstance(owner, Tensor) and owner.leaf is not None:
            self.world.change([owner.leaf], node)

    def _bind_element(self, owner: Thing, index: Thing, thing: Thing, node: ast.AST) -> None:
        key = expressions.key_of(index)
        self.world.blur()
        if isinstance(owner, Table):
            owner.items[key] = thing
        elif isinstance(owner, Items):
            if isinstance(key, int) and -len(owner.items) <= key < len(owner.items):
                owner.items[key] = thing
            else:
                owner.items.append(thing)
        elif isinstance(owner, Tensor):
            changed_in_place(self, node, owner, [thing])

    def _bind_parts(self, targets: Sequence[ast.expr], thing: Thing) -> None:
        starred = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
        items = thing.items if isinstance(thing, Items) else None
        if items is not None and starred is not None:
            rest = len(targets) - starred - 1
            end = len(items) - rest
            items = [*items[:starred], Items(items[starred:end]), *items[end:]]
        for index, target in enumerate(targets):
            part = thing if items is None else items[index] if index < len(items) else UNKNOWN
            if isinstance(thing, Outside):
                part = expressions.element_of(self, thing, Known(index))
            self.bind(target, part)

    @contextmanager
    def _recording(self, mode: bool | None) -> Iterator[None]:
        """Let autograd record or not; None leaves it as it is."""
        before = self.world.records
        self.world.records = before if mode is None else mode
        yield
        self.world.records = before

    # -- statements -----------------------------------------------------------------------------------------------

    def expression(self, node: ast.Expr) -> None:
        """Execute an expression for what it does."""
        self.evaluate(node.value)

    def assign(self, node: ast.Assign) -> None:
        """Bind targets to a value."""
        value = self.evaluate(node.value)
        for target in node.targets:
            self.bind(target, value)

    def annotate(self, node: ast.AnnAssign) -> None:
        """Bind an annotated target, if it gets a value."""
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value))

    def augment(self, node: ast.AugAssign) -> None:
        """Change what a target holds: a weight in place, anything else like an assignment."""
        held, value = self.evaluate(node.target), self.evaluate(node.value)
        self.world.blur()
        if isinstance(held, Tensor) and held.leaf is not None:
            changed_in_place(self, node, held, [value])
        elif isinstance(held, Items) and isinstance(value, Items):
            held.items += value.items
        elif isinstance(held, Tensor) or graph_of(value):
            self.bind(node.target, tensor(self, [held, value]))
        elif isinstance(held, Known):
            self.bind(node.target, UNKNOWN)

    def returns(self, node: ast.Return) -> str:
        """Leave the function with a result."""
        self.world.frames[-1].result = self.evaluate(node.value) if node.value is not None else NONE
        return _RETURN

    def branch(self, node: ast.If) -> str | None:
        """Go one way at a branch: that of its condition, where it can be told, or that of this execution."""
        truth = truth_of(self.evaluate(node.test))
        if truth is None:
            self.world.blur()
            leaves = isinstance(node.body[-1], _LEAVING) and not node.orelse
            truth = not leaves
            if node.orelse or leaves:
                self.world.met[node] = None
                truth = truth is not (node in self.world.turned)
        return self.block(node.body if truth else node.orelse)

    def matches(self, node: ast.Match) -> str | None:
        """Take the first case."""
        self.world.blur()
        self.evaluate(node.subject)
        return self.block(node.cases[0].body)

    def loop(self, node: ast.For | ast.AsyncFor) -> str | None:
        """Execute the rounds of a loop over elements; of many, the first two."""
        drawn = self.evaluate(node.iter)
        elements = self.elements(drawn)
        if not isinstance(drawn, Items) or drawn.is_open or len(elements) < len(drawn.items):
            self.world.blur()
        for element in elements:
            self.world.note_read(element, node.iter)

        def begin(number: int) -> None:
            self.bind(node.target, elements[number])

        return self._rounds(node, len(elements), begin)

    def repeat(self, node: ast.While) -> str | None:
        """Execute two rounds of a loop with a condition."""
        self.world.blur()
        if truth_of(self.evaluate(node.test)) is False:
            return None
        return self._rounds(node, len(counted(None).items), lambda _: self.evaluate(node.test))

    def _rounds(
        self, node: ast.For | ast.AsyncFor | ast.While, count: int, begin: Callable[[int], object]
    ) -> str | None:
        outer, loop = self.world.rounds, self.world.enter_loop()
        try:
            for number in range(count):
                self.world.begin_round(outer, loop, number)
                begin(number)
                leaving = self.block(node.body)
                if leaving == _RETURN:
                    return leaving
                if leaving == _BREAK:
                    return None
        finally:
            self.world.rounds = outer
        return self.block(node.orelse)

    def enter(self, node: ast.With | ast.AsyncWith) -> str | None:
        """Execute a `with` block."""
        self.world.blur()
        mode: bool | None = None
        for item in node.items:
            manager = item.context_expr
            thing = self.evaluate(manager)
            own = _mode_of(manager)
            mode = own if own is not None else mode
            if item.optional_vars is not None:
                self.bind(item.optional_vars, thing)
        with self._recording(mode):
            return self.block(node.body)

    def attempt(self, node: ast.Try) -> str | None:
        """Execute what is tried, as if nothing were raised."""
        self.world.blur()
        leaving = self.block([*node.body, *node.orelse])
        return self.block(node.finalbody) or leaving

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Bind a function to its name."""
        frame = self.world.frames[-1]
        around = () if isinstance(frame.node, ast.Module) else (frame.names, *frame.around)
        frame.names[node.name] = Function(node, frame.module, around, frame.owner)

    def define_class(self, node: ast.ClassDef) -> None:
        """Bind a class to its name."""
        frame = self.world.frames[-1]
        if node in frame.module.classes:
            frame.names[node.name] = Made(frame.module.classes[node])

    def declare(self, node: ast.Global) -> None:
        """Let names be those of the module."""
        self.world.frames[-1].global_names.update(node.names)

    def delete(self, node: ast.Delete) -> None:
        """Forget names."""
        self.world.blur()
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.world.frames[-1].names.pop(target.id, None)

    def fail(self, node: ast.Raise) -> str:
        """Leave the function."""
        self.world.blur()
        return _RETURN

    def leave_loop(self, node: ast.Break) -> str:
        """Leave the loop."""
        return _BREAK

    def next_round(self, node: ast.Continue) -> str:
        """Leave the round."""
        return _CONTINUE


def _mode_of(manager: ast.expr) -> bool | None:
    """Return whether autograd records in a `with` block or a function, by its manager; None where it leaves it."""
    callee = Value(OTHER, ref=Ref(f"torch.{name_of(manager)}"))
    record = entered(callee, manager, AS_CALLED)
    return None if record.mode in (GradMode.CALLER, GradMode.EITHER) else record.records


def _mode_of_decorators(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool | None:
    decorators: Iterable[ast.expr] = () if isinstance(node, ast.Lambda) else node.decorator_list
    return next((mode for mode in map(_mode_of, decorators) if mode is not None), None)


_STATEMENTS: dict[type, Callable[..., str | None]] = {
    ast.Expr: Execution.expression,
    ast.Assign: Execution.assign,
    ast.AnnAssign: Execution.annotate,
    ast.AugAssign: Execution.augment,
    ast.Return: Execution.returns,
    ast.If: Execution.branch,
    ast.Match: Execution.matches,
    ast.For: Execution.loop,
    ast.AsyncFor: Execution.loop,
    ast.While: Execution.repeat,
    ast.With: Execution.enter,
    ast.AsyncWith: Execution.enter,
    **dict.fromkeys(TRIES, Execution.attempt),
    ast.FunctionDef: Execution.define,
    ast.AsyncFunctionDef: Execution.define,
    ast.ClassDef: Execution.define_class,
    ast.Global: Execution.declare,
    ast.Delete: Execution.delete,
    ast.Raise: Execution.fail,
    ast.Break: Execution.leave_loop,
    ast.Continue: Execution.next_round,
}
