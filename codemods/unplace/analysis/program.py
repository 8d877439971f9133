"""One module: its functions, classes and imports, and the runs over them, made on demand."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace

from unplace import torchapi
from unplace.analysis import kinds
from unplace.analysis.gradmode import GradMode, entered
from unplace.analysis.imports import Imports, canonical
from unplace.analysis.interpreter import Interpreter, TooComplexError
from unplace.analysis.liveness import Liveness
from unplace.analysis.refs import Bound, Class, Function, Instance, Named
from unplace.analysis.run import Run
from unplace.analysis.scopes import Scope, Scopes, all_parameters
from unplace.analysis.state import ANY, State, weak_join
from unplace.analysis.summaries import Summary, summarize
from unplace.analysis.values import (
    CALLABLE,
    CONTAINER,
    DICT,
    MODULE,
    NAMESPACE,
    NONE,
    NUMBER,
    OTHER,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    UNKNOWN_VALUE,
    Origin,
    Tracked,
    Value,
)

_BUILTINS = frozenset(dir(builtins))


class Program:
    """The facts about one module."""

    def __init__(self, tree: ast.Module) -> None:
        """Index scopes, imports and classes; functions are analysed when someone asks."""
        self.tree = tree
        self.scopes = Scopes(tree)
        self.imports = Imports(tree)
        self.classes: dict[ast.ClassDef, Class] = {}
        self._runs: dict[Scope, tuple[Run, State | None] | None] = {}
        self._running: set[Scope] = set()
        self._summaries: dict[Scope, Summary | None] = {}
        self._guesses: dict[tuple[Scope, str], Value] = {}
        self._attributes: dict[tuple[Class, str], Value] = {}
        self._guessing: set[object] = set()
        self._sites: dict[str, list[tuple[Scope, ast.Call]]] | None = None
        self._collect_classes(self.scopes.module)

    # -- runs and summaries ---------------------------------------------------------------------------------------

    def run(self, scope: Scope) -> Run | None:
        """The finished run over a scope, or None when it is too complex or under way."""
        done = self._finished(scope)
        return done[0] if done is not None else None

    def _finished(self, scope: Scope) -> tuple[Run, State | None] | None:
        if scope not in self._runs:
            if scope in self._running:
                return None
            self._running.add(scope)
            try:
                self._runs[scope] = self._walk(scope)
            except TooComplexError:
                self._runs[scope] = None
            finally:
                self._running.discard(scope)
        return self._runs[scope]

    def _walk(self, scope: Scope) -> tuple[Run, State | None]:
        run = Run(self, scope)
        state = State()
        interpreter = Interpreter(run)
        node = scope.node
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        run.liveness = Liveness(scope, body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self._enter_function(scope, run, state)
        end = interpreter.block(body, state)
        return run, end

    def _enter_function(self, scope: Scope, run: Run, state: State) -> None:
        node = scope.node
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for argument in all_parameters(node.args):
            value = self.parameter(scope, argument)
            held = state.env[argument.arg] = self._as_foreign(run, argument, value)
            state.binds[argument.arg] = argument
            elements = kinds.of_elements(argument.annotation)
            for holder in held.objs if elements & TENSOR else ():
                state.heap[(holder, ANY)] = run.foreign(
                    ("element", argument.arg), Origin.PARAMETER, f"`{argument.arg}`", argument.lineno, elements
                )
        run.grad = self.grad_mode(scope)

    def _as_foreign(self, run: Run, argument: ast.arg, value: Value) -> Value:
        if value.kinds & ~(NUMBER | TEXT | NONE) == 0:
            return value
        return run.foreign(
            ("parameter", argument.arg),
            Origin.PARAMETER,
            f"`{argument.arg}`",
            argument.lineno,
            value.kinds,
            ref=value.ref,
            tracked=value.tracked,
            likely=value.likely,
        )

    def grad_mode(self, scope: Scope) -> GradMode:
        """The grad mode that decorators and the kind of class give a function."""
        owner = self.class_of(scope)
        if owner is not None and owner.derives_from("torch.autograd.Function"):
            return GradMode.FUNCTION
        if owner is not None and owner.derives_from("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer"):
            return GradMode.OPTIMIZER
        mode = GradMode.CALLER
        for decorator in getattr(scope.node, "decorator_list", []):
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            qualified = self.qualified(scope.parent or self.scopes.module, target)
            if qualified is not None:
                mode = entered(Value(OTHER, ref=Named(qualified)), decorator, mode)
        return mode

    def summary(self, function: Function) -> Summary | None:
        """What calling a function of this file does; None when nothing can be said."""
        scope = function.scope
        if scope not in self._summaries:
            if scope.suspends or scope in self._running:
                return None
            done = self._finished(scope)
            if done is None:
                self._summaries[scope] = None
            else:
                self._summaries[scope] = summarize(*done)
        return self._summaries[scope]

    # -- names ----------------------------------------------------------------------------------------------------

    def free_name(self, run: Run, node: ast.Name, found: Value | None) -> Value:
        """A name that isn't bound to something known at this point of the walk."""
        name = node.id
        owner = self.scopes.owner(run.scope, name)
        if owner is None:
            return Value(CALLABLE, ref=Named(f"builtins.{name}")) if name in _BUILTINS else UNKNOWN_VALUE
        if name in self.imports.names and name not in owner.assigned:
            return self.named(run, canonical(self.imports.names[name]), node)
        guess = self.guess(owner, name)
        if guess.ref is not None and guess.must_be(CALLABLE):
            return guess
        if guess.kinds & ~(NUMBER | TEXT | NONE) == 0:
            return guess
        origin = Origin.GLOBAL if owner.is_module else Origin.CLOSURE
        tracked = guess.tracked if guess.tracked is Tracked.LEAF else Tracked.MAYBE
        value = run.foreign(
            ("name", owner.name, name), origin, f"`{name}`", node.lineno, guess.kinds, ref=guess.ref,
            tracked=tracked, likely=guess.likely,
        )
        if name in owner.volatile or owner is run.scope:
            return replace(value, identity=(node, "volatile"), shape=None)
        return value

    def named(self, run: Run | None, qualified: str, node: ast.AST) -> Value:
        """Something imported, by its qualified name."""
        if torchapi.function(qualified) is not None or torchapi.module(qualified) is not None:
            return Value(CALLABLE, ref=Named(qualified))
        if torchapi.inplace_function(qualified) is not None or torchapi.inplace_flag(qualified) is not None:
            return Value(CALLABLE, ref=Named(qualified))
        last = qualified.rsplit(".", 1)[-1]
        if qualified.startswith("math.") or qualified in ("torch.inf", "torch.nan", "torch.pi", "torch.e"):
            return Value(NUMBER | CALLABLE, ref=Named(qualified)) if qualified.startswith("math.") else Value(NUMBER)
        if qualified.startswith(("torch.", "numpy.")) and kinds_of_dtype(last):
            return Value(OTHER)
        return Value(NAMESPACE, ref=Named(qualified))

    def qualified(self, scope: Scope, node: ast.expr) -> str | None:
        """The qualified name of an expression made of an imported name and attributes."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        owner = self.scopes.owner(scope, node.id)
        if owner is None or node.id in owner.assigned or node.id not in self.imports.names:
            return None
        return canonical(".".join([self.imports.names[node.id], *reversed(parts)]))

    # -- guesses: what a name is, whatever the flow ---------------------------------------------------------------

    def guess(self, scope: Scope, name: str) -> Value:
        """What a name of a scope is, from everything assigned to it there."""
        key = (scope, name)
        known = self._guesses.get(key)
        if known is not None:
            return known
        if key in self._guessing:
            return UNKNOWN_VALUE
        self._guessing.add(key)
        try:
            value = self._guess(scope, name)
        finally:
            self._guessing.discard(key)
        self._guesses[key] = value
        return value

    def _guess(self, scope: Scope, name: str) -> Value:
        values: list[Value] = []
        for argument in scope.parameters:
            if argument.arg == name:
                values.append(self.parameter(scope, argument))
        for source in _sources(scope, name):
            if isinstance(source, ast.FunctionDef | ast.AsyncFunctionDef):
                values.append(self._function_value(source, scope))
            elif isinstance(source, ast.ClassDef):
                values.append(Value(CALLABLE, ref=self.classes.get(source)))
            elif isinstance(source, ast.expr):
                values.append(self.estimate(scope, source))
            else:
                values.append(UNKNOWN_VALUE)
        if not values:
            return UNKNOWN_VALUE
        result = values[0]
        for value in values[1:]:
            result = weak_join(result, value)
        return result

    def _function_value(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Value:
        allowed = {"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.jit.script", "torch.compile"}
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.qualified(scope, target) not in allowed:
                return Value(CALLABLE)
        return Value(CALLABLE, ref=Function(self.scopes.by_node[node]))

    def estimate(self, scope: Scope, node: ast.expr) -> Value:
        """The value of an expression without knowing the flow up to it: good for kinds, not for aliases."""
        key = (scope, node)
        if key in self._guessing:
            return UNKNOWN_VALUE
        self._guessing.add(key)
        try:
            run = Run(self, scope)
            run.statement = ast.copy_location(ast.Pass(), node)
            state = State()
            value = Interpreter(run).evaluator.evaluate(node, state)
        finally:
            self._guessing.discard(key)
        return value

    # -- parameters -----------------------------------------------------------------------------------------------

    def parameter(self, scope: Scope, argument: ast.arg) -> Value:
        """What a parameter is: by its annotation, default, use in the body, class and callers."""
        node = scope.node
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        owner = self.class_of(scope)
        if owner is not None and node.args.args and argument is node.args.args[0] and not _is_static(node):
            kind = MODULE if owner.is_module else OTHER
            return Value(kind, ref=Instance(owner))
        if argument is node.args.vararg:
            return Value(UNKNOWN)
        if argument is node.args.kwarg:
            return Value(UNKNOWN)
        annotated = kinds.of_annotation(argument.annotation)
        default = _default_of(node.args, argument)
        if not annotated & UNKNOWN:
            is_none = isinstance(default, ast.Constant) and default.value is None
            return Value(annotated | (NONE if is_none else 0))
        return self._unannotated(scope, argument, default, owner)

    def _unannotated(
        self, scope: Scope, argument: ast.arg, default: ast.expr | None, owner: Class | None
    ) -> Value:
        none = NONE if isinstance(default, ast.Constant) and default.value is None else 0
        by_default = kinds.of_default(default)
        if by_default == NUMBER or by_default & TEXT:
            return Value(by_default)
        callers = self._from_callers(scope, argument.arg)
        if self.used_as_tensor(scope, argument.arg):
            return Value(TENSOR | none)
        if callers is not None:
            return replace(callers, kinds=callers.kinds | none)
        if by_default & NUMBER:
            return Value(by_default)
        if owner is not None and owner.is_module and scope.name == "forward" and argument.annotation is None:
            if default is None and not _used_as_number(scope, argument.arg):
                return Value(TENSOR)
        return Value(UNKNOWN | none)

    def _from_callers(self, scope: Scope, name: str) -> Value | None:
        """What the calls in this file pass for a parameter; None when there are none that can be matched."""
        key = (scope, "callers", name)
        if key in self._guessing or scope.name == "<lambda>":
            return None
        self._guessing.add(key)
        try:
            found: list[Value] = []
            for caller, call in self.call_sites().get(self._callable_name(scope), ()):
                argument = _argument_for(scope, call, name)
                if argument is not None:
                    found.append(self.estimate(caller, argument))
        finally:
            self._guessing.discard(key)
        found = [v for v in found if v.kinds != UNKNOWN]
        if not found:
            return None
        kinds_seen = 0
        for value in found:
            kinds_seen |= value.kinds
        tracked = found[0].tracked if all(v.tracked is found[0].tracked for v in found) else Tracked.MAYBE
        if tracked is Tracked.NO:
            tracked = Tracked.MAYBE
        return Value(kinds_seen, likely=any(v.likely for v in found), tracked=tracked)

    def _callable_name(self, scope: Scope) -> str:
        owner = scope.enclosing_class
        return owner.name if owner is not None and scope.name == "__init__" else scope.name

    def call_sites(self) -> dict[str, list[tuple[Scope, ast.Call]]]:
        """All calls of the module by the last name of what is called, with the scope they stand in."""
        if self._sites is None:
            self._sites = {}
            for scope in self.scopes.by_node.values():
                for node in _own_nodes(scope.node):
                    if isinstance(node, ast.Call):
                        name = _last_name(node.func)
                        if name is not None:
                            self._sites.setdefault(name, []).append((scope, node))
        return self._sites

    def used_as_tensor(self, scope: Scope, name: str) -> bool:
        """Whether the body uses a parameter in a way that only a tensor allows."""
        evidence = False
        for node in _own_nodes(scope.node):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
                evidence = evidence or kinds.is_tensor_only(node.attr)
            elif isinstance(node, ast.Call):
                qualified = self.qualified(scope, node.func)
                if qualified is None:
                    continue
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Name) and first.id == name and _takes_tensor(qualified):
                    evidence = True
            elif isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                return False
        return evidence

    # -- classes --------------------------------------------------------------------------------------------------

    def class_of(self, scope: Scope) -> Class | None:
        """The class whose method a function is."""
        node = scope.enclosing_class
        return self.classes.get(node) if node is not None else None

    def method(self, owner: Class, name: str) -> Function | None:
        """A method of a class of this file, unless it is a property or wrapped by a decorator."""
        for statement in owner.node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                if name in owner.special:
                    return None
                return Function(self.scopes.by_node[statement], owner)
        for ancestor in owner.ancestors:
            found = self.method(ancestor, name)
            if found is not None:
                return found
        return None

    def attribute(self, owner: Class, name: str) -> Value:
        """What an attribute of an instance is, from everything the class assigns to it."""
        key = (owner, name)
        known = self._attributes.get(key)
        if known is not None:
            return known
        if key in self._guessing:
            return UNKNOWN_VALUE
        self._guessing.add(key)
        try:
            value = self._attribute(owner, name)
        finally:
            self._guessing.discard(key)
        self._attributes[key] = value
        return value

    def _attribute(self, owner: Class, name: str) -> Value:
        if owner.lookup("registered", name):
            return Value(TENSOR, tracked=Tracked.LEAF)
        values: list[Value] = []
        for cls in _linearized(owner):
            for scope, source in cls.assigned.get(name, ()):
                values.append(self.estimate(scope, source) if source is not None else UNKNOWN_VALUE)
        if not values:
            if name == "training":
                return Value(NUMBER)
            return UNKNOWN_VALUE
        result = values[0]
        for value in values[1:]:
            result = weak_join(result, value)
        tracked = Tracked.MAYBE if result.tracked is Tracked.LEAF else result.tracked
        return replace(result, tracked=tracked)

    def _collect_classes(self, scope: Scope) -> None:
        for inner in scope.inner:
            if isinstance(inner.node, ast.ClassDef):
                self._add_class(inner, scope)
            self._collect_classes(inner)

    def _add_class(self, scope: Scope, outer: Scope) -> None:
        node = scope.node
        assert isinstance(node, ast.ClassDef)
        bases = tuple(self.qualified(outer, base) or ast.unparse(base) for base in node.bases)
        ancestors = tuple(c for c in self.classes.values() if c.node.name in bases)
        found = Class(node, scope, bases, ancestors)
        self.classes[node] = found
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                if statement.decorator_list and not _is_static(statement) and not self._keeps_meaning(statement, scope):
                    found.special.add(statement.name)
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                has_value = statement.value is not None
                found.special.update(t.id for t in targets if isinstance(t, ast.Name) and has_value)
        for method in scope.inner:
            _collect_attributes(self, found, method)

    def _keeps_meaning(self, statement: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
        known = {"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.jit.export", "torch.jit.ignore"}
        return all(
            self.qualified(scope, d.func if isinstance(d, ast.Call) else d) in known for d in statement.decorator_list
        )


def kinds_of_dtype(name: str) -> bool:
    """Whether a name of torch or NumPy is a dtype, a layout or the like."""
    return name in _DTYPES


_DTYPES = frozenset(
    """
    float16 float32 float64 bfloat16 half float double int8 int16 int32 int64 uint8 short int long bool complex64
    complex128 cfloat cdouble strided channels_last contiguous_format preserve_format
    """.split()
)


def _collect_attributes(program: Program, owner: Class, method: Scope) -> None:
    node = method.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.args.args:
        return
    me = node.args.args[0].arg
    for statement in _own_nodes(node):
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                for name, exact in _self_targets(target, me):
                    owner.assigned.setdefault(name, []).append((method, statement.value if exact else None))
                    if exact and isinstance(statement.value, ast.Call):
                        made = program.qualified(method, statement.value.func)
                        if made in ("torch.nn.Parameter", "torch.nn.Buffer", "torch.nn.parameter.Buffer"):
                            owner.registered.add(name)
        elif isinstance(statement, ast.Call) and isinstance(statement.func, ast.Attribute):
            if statement.func.attr in ("register_buffer", "register_parameter") and statement.args:
                first = statement.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    owner.registered.add(first.value)
        elif isinstance(statement, ast.For | ast.With | ast.AugAssign):
            target = getattr(statement, "target", None)
            if target is not None and not isinstance(statement, ast.AugAssign):
                for name, _ in _self_targets(target, me):
                    owner.assigned.setdefault(name, []).append((method, None))


def _self_targets(target: ast.expr, me: str) -> Iterator[tuple[str, bool]]:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me:
        yield target.attr, True
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            for name, _ in _self_targets(element, me):
                yield name, False


def _linearized(owner: Class) -> Iterator[Class]:
    yield owner
    for ancestor in owner.ancestors:
        yield from _linearized(ancestor)


def _own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes inside it."""
    todo: list[ast.AST] = list(root.body) if isinstance(getattr(root, "body", None), list) else [root.body]  # type: ignore[attr-defined]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        todo.extend(ast.iter_child_nodes(node))


def _sources(scope: Scope, name: str) -> list[ast.AST]:
    """What is assigned to a name in a scope: expressions, definitions, or the statement where it isn't plain."""
    found: list[ast.AST] = []
    for node in _own_nodes(scope.node):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    found.append(node.value)
                elif any(isinstance(t, ast.Name) and t.id == name and isinstance(t.ctx, ast.Store) for t in ast.walk(target)):
                    found.append(_element(target, node.value, name))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
            if node.target.id == name and node.value is not None:
                found.append(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            found.append(node)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            if any(isinstance(t, ast.Name) and t.id == name for t in ast.walk(node.target)):
                found.append(node if not isinstance(node, ast.comprehension) else ast.Pass())
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            if any(isinstance(t, ast.Name) and t.id == name for t in ast.walk(node.optional_vars)):
                found.append(ast.Pass())
    return found


def _element(target: ast.expr, value: ast.expr, name: str) -> ast.AST:
    """The part of a tuple display that an unpacking gives a name."""
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        if len(target.elts) == len(value.elts) and not any(isinstance(e, ast.Starred) for e in target.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                if isinstance(one, ast.Name) and one.id == name:
                    return other
    if isinstance(target, ast.Tuple) and all(isinstance(e, ast.Name) for e in target.elts):
        index = next(i for i, e in enumerate(target.elts) if isinstance(e, ast.Name) and e.id == name)
        picked = ast.Subscript(value, ast.Constant(index), ast.Load())
        return ast.fix_missing_locations(ast.copy_location(picked, value))
    return ast.Pass()


def _default_of(arguments: ast.arguments, argument: ast.arg) -> ast.expr | None:
    positional = [*arguments.posonlyargs, *arguments.args]
    if argument in positional:
        offset = positional.index(argument) - (len(positional) - len(arguments.defaults))
        return arguments.defaults[offset] if offset >= 0 else None
    if argument in arguments.kwonlyargs:
        return arguments.kw_defaults[arguments.kwonlyargs.index(argument)]
    return None


def _argument_for(scope: Scope, call: ast.Call, name: str) -> ast.expr | None:
    """The argument of a call that a parameter receives."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    if scope.enclosing_class is not None and not _is_static(node):
        names = names[1:]
    if name in names and names.index(name) < len(call.args):
        return call.args[names.index(name)]
    return None


def _takes_tensor(qualified: str) -> bool:
    """Whether the first argument of a function of torch has to be a tensor."""
    if torchapi.inplace_flag(qualified) is not None:
        return True
    operator = torchapi.function(qualified)
    return operator is not None and bool(operator.parameters) and operator.parameters[0] in ("self", "input")


def _used_as_number(scope: Scope, name: str) -> bool:
    """Whether a parameter is used as a size: in `range`, or as an argument of a reshaping method."""
    for node in _own_nodes(scope.node):
        if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id == name for a in node.args):
            last = _last_name(node.func)
            if last in ("range", "view", "reshape", "expand", "repeat", "unflatten", "zeros", "ones", "empty", "arange"):
                return True
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            if isinstance(node.left, ast.Name) and node.left.id == name:
                return True
    return False


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def _is_static(node: ast.AST) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in getattr(node, "decorator_list", []))


