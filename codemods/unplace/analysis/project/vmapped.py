"""Finds the functions that run under `vmap`, and which of their arguments have a batch dimension there.

    torch.vmap(f)(xs)                               @torch.vmap
    vmap(grad(loss), in_dims=(None, 0))(w, xs)      def f(x): ...

So do the functions that they call. A batch dimension is told by the `vmap` that adds it, its level: nested, each adds
one of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from unplace.analysis.domain.refs import Bound, Instance
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.calling import function_of
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.classes import is_static
from unplace.analysis.syntax.scopes import Scope, variadic
from unplace.diagnostics.forms import PARTIAL
from unplace.torchapi import modules, transforms

_DEEPEST = 6


class Levels(NamedTuple):
    """The levels that a value certainly has, and those that it may have."""

    certain: frozenset[Hashable] = frozenset()
    possible: frozenset[Hashable] = frozenset()

    def joined(self, other: Levels) -> Levels:
        """Return the levels of what is computed from both."""
        return Levels(self.certain | other.certain, self.possible | other.possible)


NO_LEVELS = Levels()


@dataclass(frozen=True, slots=True)
class Mapped:
    """A function that an expression stands for, and what is bound already: some arguments, and these names."""

    scope: Scope
    bound: int = 0
    named: frozenset[str] = frozenset()

    @property
    def _positional(self) -> list[str]:
        """The names of all positional parameters."""
        arguments = self.scope.node.args  # type: ignore[union-attr]
        return [a.arg for a in (*arguments.posonlyargs, *arguments.args)]

    @property
    def parameters(self) -> list[str]:
        """The names of the positional parameters that are left."""
        return [name for name in self._positional[self.bound :] if name not in self.named]

    @property
    def receiver(self) -> str | None:
        """The name of the receiver of a method or a module's `forward`."""
        names = self._positional
        is_method = self.scope.enclosing_class is not None and self.bound > 0
        return names[0] if is_method and names else None

    def given(self, call: ast.Call) -> dict[str, ast.expr]:
        """Return the arguments of a call by parameter."""
        if any(isinstance(a, ast.Starred) for a in call.args):
            return {}
        found = dict(zip(self.parameters, call.args, strict=False))
        return {**found, **{k.arg: k.value for k in call.keywords if k.arg is not None}}


@dataclass(frozen=True, slots=True)
class Use:
    """One `vmap` of a function, with what it says of the batch dimensions, and where it stands."""

    caller: Scope
    node: ast.expr
    function: Mapped
    in_dims: ast.expr | None
    held_dims: ast.expr | None = None  # of the parameters of a module that `vmap(functional_call)` runs


# -- what an expression calls ---------------------------------------------------------------------------------------


def mapped(program: Analysis, scope: Scope, node: ast.expr, depth: int = _DEEPEST) -> Mapped | None:
    """Return the function of the run that an expression stands for, through transforms, `partial` and names."""
    module = home(scope)
    if isinstance(node, ast.Lambda):
        return Mapped(module.scopes.by_node[node])
    if isinstance(node, ast.Call):
        qualified = module.qualified(scope, node.func)
        is_partial = qualified == PARTIAL
        if not (is_partial or qualified in transforms.PASSING):
            return _estimated(program, scope, node)
        if not node.args or depth == 0:
            return None
        found = mapped(program, scope, node.args[0], depth - 1)
        if found is None or not is_partial:
            return found
        named = found.named.union(k.arg for k in node.keywords if k.arg is not None)
        return replace(found, bound=found.bound + len(node.args) - 1, named=named)
    if isinstance(node, ast.Name) and depth:
        owner = module.scopes.owner(scope, node.id)
        sources = module.bindings(owner).sources.get(node.id, []) if owner is not None else []
        if owner is not None and len(sources) == 1 and isinstance(sources[0], ast.Call):
            return mapped(program, owner, sources[0], depth - 1)
        if len(sources) == 1 and isinstance(sources[0], ast.FunctionDef):
            return Mapped(module.scopes.by_node[sources[0]])
    return _estimated(program, scope, node)


def called_functionally(
    program: Analysis, scope: Scope, call: ast.Call
) -> tuple[Mapped, dict[str, ast.expr], ast.expr] | None:
    """Return the `forward` that `functional_call(model, params, (x,))` runs, its arguments, and the parameters."""
    if home(scope).qualified(scope, call.func) not in transforms.FUNCTIONAL_CALLS or len(call.args) < 3:
        return None
    model, held, inputs = call.args[:3]
    found = _model(program, scope, model)
    given = inputs.elts if isinstance(inputs, ast.Tuple | ast.List) else [inputs]
    return (found, dict(zip(found.parameters, given, strict=False)), held) if found is not None else None


def _model(program: Analysis, scope: Scope, node: ast.expr, depth: int = _DEEPEST) -> Mapped | None:
    """Return the `forward` of a module whose class is all that counts: `copy.deepcopy(models[0]).to("meta")`."""
    found = _estimated(program, scope, node)
    if found is not None or depth == 0:
        return found
    inner = _alike(program, scope, node)
    if inner is not None:
        return _model(program, scope, inner, depth - 1)
    module = home(scope)
    owner = module.scopes.owner(scope, node.id) if isinstance(node, ast.Name) else None
    if owner is None or not isinstance(node, ast.Name) or any(a.arg == node.id for a in owner.parameters):
        return None
    sources = [s for s in module.bindings(owner).sources.get(node.id, []) if isinstance(s, ast.expr)]
    others = [s for s in sources if not _is_of_itself(program, owner, s, node.id)]
    answers = {_model(program, owner, source, depth - 1) for source in others}
    return answers.pop() if len(answers) == 1 else None


def _alike(program: Analysis, scope: Scope, node: ast.expr) -> ast.expr | None:
    """Return an expression with an object of the same class: what is copied or moved, or the elements of a list."""
    if isinstance(node, ast.Call):
        if home(scope).qualified(scope, node.func) in _COPYING:
            return node.args[0] if node.args else None
        is_itself = isinstance(node.func, ast.Attribute) and node.func.attr in modules.RETURNING_ITSELF
        return node.func.value if is_itself and isinstance(node.func, ast.Attribute) else None
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.ListComp):
        return node.elt
    return node.elts[0] if isinstance(node, ast.List | ast.Tuple) and node.elts else None


_COPYING = ("copy.copy", "copy.deepcopy")


def _is_of_itself(program: Analysis, scope: Scope, source: ast.expr, name: str) -> bool:
    """Tell whether a source only moves or copies what the name held before: `base = base.to("meta")`."""
    inner: ast.expr | None = source
    while inner is not None and isinstance(inner, ast.Call):
        inner = _alike(program, scope, inner)
    return isinstance(inner, ast.Name) and inner.id == name


def _estimated(program: Analysis, scope: Scope, node: ast.expr) -> Mapped | None:
    ref = program.estimate(scope, node).ref
    function = function_of(program, ref)
    if function is None or not isinstance(function.scope.node, ast.FunctionDef | ast.Lambda):
        return None
    is_bound = isinstance(ref, Bound | Instance) and not is_static(function.scope.node)
    return Mapped(function.scope, int(is_bound))


@once
def names_vmap(module: ModuleIndex) -> bool:
    """Tell whether a module uses `vmap`."""
    imported = module.imports.names.values()
    return module.reads_of("vmap") > 0 or any(target.rpartition(".")[2] == "vmap" for target in imported)


def uses(program: Analysis) -> tuple[Use, ...]:
    """Return the uses of `vmap` in a module: calls, decorators, and `partial(torch.vmap, in_dims=...)`."""
    return program.answer("uses of vmap", lambda: (*_found(program),), ()) if names_vmap(program.module) else ()


def _found(program: Analysis) -> Iterator[Use]:
    module = program.module
    for scope in list(module.scopes.by_node.values()):
        for call in scope.of(ast.Call):
            if call.args and module.qualified(scope, call.func) in transforms.VMAP:
                function = mapped(program, scope, call.args[0])
                if function is not None:
                    yield Use(scope, call, function, _in_dims(call, 1))
                elif module.qualified(scope, call.args[0]) in transforms.FUNCTIONAL_CALLS:
                    yield from _of_functional_call(program, scope, call)
        for node in scope.nodes:
            for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                is_call = isinstance(decorator, ast.Call)
                named = decorator.args[0] if is_call and decorator.args else decorator  # type: ignore[attr-defined]
                if module.qualified(scope, named) in transforms.VMAP:
                    inner = Mapped(module.scopes.by_node[node])
                    yield Use(scope, decorator, inner, _in_dims(decorator, 2))


def _of_functional_call(program: Analysis, scope: Scope, node: ast.Call) -> Iterator[Use]:
    """Iterate over the uses that `vmap(functional_call, in_dims=(None, 0, None))(model, params, (x,))` makes."""
    dims = _in_dims(node, 1)
    for call in _calls_of(program, scope, node):
        found = _model(program, scope, call.args[0]) if len(call.args) > 2 else None
        if found is not None and isinstance(dims, ast.Tuple) and len(dims.elts) > 2:
            yield Use(scope, node, found, dims.elts[2], held_dims=dims.elts[1])


def passed(program: Analysis, scope: Scope, name: str) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over what the calls of `vmap`s of a function give for a parameter, with the scopes of the calls."""
    for use in uses(program):
        if use.function.scope is scope and use.held_dims is None:
            for call in _calls_of(program, use.caller, use.node):
                given = use.function.given(call).get(name)
                if given is not None:
                    yield use.caller, given


def _calls_of(program: Analysis, scope: Scope, node: ast.expr) -> Iterator[ast.Call]:
    """Iterate over the calls of a `vmap` in the function that makes it: `vmap(f)(x)`, and `g(x)` for `g = vmap(f)`."""
    names = {name for name, sources in program.module.bindings(scope).sources.items() if sources == [node]}
    for call in scope.of(ast.Call):
        if call.func is node or (isinstance(call.func, ast.Name) and call.func.id in names):
            yield call


def _in_dims(node: ast.expr, position: int) -> ast.expr | None:
    """Return the argument of `vmap` that says which dimensions are those of the batch."""
    if not isinstance(node, ast.Call):
        return None
    named = [k.value for k in node.keywords if k.arg == "in_dims"]
    return named[0] if named else node.args[position] if len(node.args) > position else None


# -- batches --------------------------------------------------------------------------------------------------------


def levels_given(use: Use) -> dict[str, Levels]:
    """Return the levels that a `vmap` adds to the arguments of its function."""
    names, dims = use.function.parameters, use.in_dims
    level: frozenset[Hashable] = frozenset((use.node,))
    certain, doubtful = Levels(level, level), Levels(frozenset(), level)
    scope, receiver = use.function.scope, use.function.receiver
    if use.held_dims is not None:
        held = _levels(use.held_dims, certain, doubtful)
        each = dims.elts if isinstance(dims, ast.Tuple) else [dims] * len(names)
        given = (_levels(dim, certain, doubtful) for dim in each if dim is not None)
        return {**dict(zip(names, given, strict=False)), **({receiver: held} if receiver is not None else {})}
    if dims is None or isinstance(dims, ast.Constant):
        arguments = scope.node.args  # type: ignore[union-attr]
        required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults) - use.function.bound
        found = {name: certain if i < required else doubtful for i, name in enumerate(names)}
        return {**found, **{a.arg: certain for a in variadic(scope)[:1] if a is arguments.vararg}}
    if not isinstance(dims, ast.Tuple):
        return dict.fromkeys(names, doubtful)
    return {n: _levels(dim, certain, doubtful) for n, dim in zip(names, dims.elts, strict=False)}


def _levels(dim: ast.expr, certain: Levels, doubtful: Levels) -> Levels:
    """Return the levels that an element of `in_dims` gives to its argument."""
    has = _has_dimension(dim)
    return certain if has else doubtful if has is None else NO_LEVELS


def _has_dimension(dim: ast.expr) -> bool | None:
    """Tell whether an element of `in_dims` names a dimension; None where only parts of the argument may have one."""
    if isinstance(dim, ast.UnaryOp):
        return True
    return dim.value is not None if isinstance(dim, ast.Constant) else None
