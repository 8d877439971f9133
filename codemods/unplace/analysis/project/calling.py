"""Finds the calls of a file that may reach a function; the name alone doesn't tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from unplace.analysis.domain.refs import Bound, Class, Function, Instance, Member, alternatives
from unplace.analysis.domain.values import ARRAY, CONTAINER, NONE, NUMBER, SHAPE, TENSOR, TEXT
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.module import ModuleIndex, is_of, once
from unplace.analysis.syntax.classes import is_static
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.flows import flows
from unplace.analysis.types.propagation import FACTORY, Holders


def calls_of(program: Analysis, scope: Scope) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls in the file that may reach a function, with the scopes that contain them."""
    owner = program.module.class_of(scope)
    is_constructor = owner is not None and scope.name == "__init__"
    name = owner.node.name if owner is not None and is_constructor else scope.name
    for caller, call in program.module.calls_named(name):
        if takes(scope, call) and (is_constructor or _leads_to(program, scope, owner, caller, call)):
            yield caller, call


def calls_elsewhere(program: Analysis, scope: Scope) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls in other files that certainly reach a function of this one, with their scopes."""
    module, place, outer = program.module, program.module.place, scope.parent
    if place is None or outer is None or not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    is_constructor = outer.is_class and scope.name == "__init__" and outer.parent is not None and outer.parent.is_module
    if outer.is_module or is_constructor:
        named = outer.name if is_constructor else scope.name
        for other in module.others_with(named, importing(module, named)):
            for name in sorted(names_of(other, named)):
                for caller, call in other.calls_named(name):
                    if other.member(caller, call.func) == Member(place.path, named) and takes(scope, call):
                        yield caller, call
    elif outer.is_class and not scope.name.startswith("__") and scope.name != "forward":
        for other in module.others_with(scope.name, (outer.name,)):
            for caller, call in other.calls_named(scope.name):
                if takes(scope, call) and _is_called_on(program, caller, call.func, place.path, outer.name):
                    yield caller, call


def calls_of_base(owner: Class) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls of constructors in that of a class: `super().__init__(dim, act=nn.ReLU())`."""
    for method in owner.scope.inner:
        for call in method.of(ast.Call) if method.name == "__init__" else ():
            if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
                yield method, call


def _is_called_on(program: Analysis, caller: Scope, callee: ast.expr, path: str, name: str) -> bool:
    """Tell whether a callee is an attribute of an object of a class that a file defines."""
    ref = program.estimate(caller, callee.value).ref if isinstance(callee, ast.Attribute) else None
    of = ref.of if isinstance(ref, Instance) else ref
    classes = of.linearized() if isinstance(of, Class) else ()
    return any(cls.node.name == name and is_of(cls.scope, path) for cls in classes)


def importing(module: ModuleIndex, name: str) -> tuple[str, ...]:
    """Return patterns for files that may use a name of a module: they import it, all names, or the module."""
    place = module.place
    assert place is not None
    imported = rf"import\s*\([^)]*\b{name}\b|import[^\n(]*\b{name}\b|import[\s\\]*\*"
    attribute = rf"\.\s*{name}\b"
    return (imported, rf"(?s:\A(?=.*{attribute}).*?\b{re.escape(place.stem)}\b.*{attribute})")  # the former is rarer


@once
def names_of(module: ModuleIndex, name: str) -> frozenset[str]:
    """Return a name with those under which the module imports something of that name: `from utils import f as g`."""
    return frozenset([name, *(own for own, target in module.imports.names.items() if target.split(".")[-1] == name)])


def holders_of(program: Analysis, classes: Iterable[Class], names: frozenset[str] = frozenset()) -> Holders:
    """Return the names that may hold objects of some classes, which the file may import under these other names."""
    return _holders(program.module, names.union(cls.node.name for cls in classes))


@once
def _holders(module: ModuleIndex, classes: frozenset[str]) -> Holders:
    return Holders(flows(module), {}, dict.fromkeys(sorted(classes), FACTORY))


@once
def _calls_of_objects(module: ModuleIndex, classes: frozenset[str]) -> list[tuple[Scope, ast.Call]]:
    holders, scopes = _holders(module, classes), module.scopes.by_node.values()
    return [(scope, call) for scope in scopes for call in scope.of(ast.Call) if holders.is_called(call.func)]


@once
def calls_of_made_by(module: ModuleIndex, classes: frozenset[str]) -> frozenset[ast.Call]:
    """Return the calls that may call an object of classes of these names."""
    return frozenset(call for _, call in _calls_of_objects(module, classes))


def calls_of_objects(program: Analysis, owner: Class) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls in the file that may call an object of a class, with the scopes that contain them."""
    classes = (owner, *program.descendants(owner))
    yield from _calls_of_objects(program.module, frozenset(cls.node.name for cls in classes))


def is_object_of(program: Analysis, user: Scope, node: ast.expr, owner: Class) -> bool:
    """Tell whether an expression is known to be a class related to `owner` by inheritance, or an object of one."""
    refs = alternatives(program.estimate(user, node).ref)
    classes = [ref.of if isinstance(ref, Instance) else ref for ref in refs]
    return any(isinstance(of, Class) and _are_related(program, of, owner) for of in classes)


def run_by_calling(program: Analysis, of: Instance) -> Function | None:
    """Return the method that a call of an object runs: its own `__call__`, else the `forward` of a module."""
    family = (*of.of.linearized(), *(() if of.is_exact else program.descendants(of.of)))
    name = "__call__" if any(cls.defines("__call__") for cls in family) else "forward"
    return program.methods(of.of, name, is_exact=of.is_exact).only


def function_of(program: Analysis, ref: object) -> Function | None:
    """Return the function or method of the run that a call of a value runs."""
    if isinstance(ref, Instance):
        return run_by_calling(program, ref)
    if isinstance(ref, Bound):
        receiver = ref.receiver.ref
        return program.methods(receiver.of, ref.name).only if isinstance(receiver, Instance) else None
    return ref if isinstance(ref, Function) else None


def may_call(program: Analysis, scope: Scope, caller: Scope, call: ast.Call, *, is_exact: bool) -> bool:
    """Tell whether a call of a function's name may reach that function; if `is_exact`, the arguments have to fit.

    They needn't fit where a decorator wraps the function, or where the receiver is one of the arguments.
    """
    is_wrapped = bool(getattr(scope.node, "decorator_list", ()))
    does_fit = is_wrapped or not is_exact or takes(scope, call)
    return does_fit and _leads_to(program, scope, program.module.class_of(scope), caller, call)


def parameters_of(scope: Scope) -> list[str]:
    """Return the names of the positional parameters, without the receiver of a method."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    return names[1:] if scope.enclosing_class is not None and not is_static(node) else names


def takes(scope: Scope, call: ast.Call) -> bool:
    """Tell whether the arguments of a call fit the parameters of a function."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    names, signature = parameters_of(scope), node.args
    keywords = {k.arg for k in call.keywords}
    is_open = None in keywords or any(isinstance(a, ast.Starred) for a in call.args)
    if len(call.args) > len(names) and signature.vararg is None:
        return False
    if signature.kwarg is None and not keywords <= {*names, *(a.arg for a in signature.kwonlyargs), None}:
        return False
    required = names[len(call.args) : len(names) - len(signature.defaults)]
    required += [a.arg for a, d in zip(signature.kwonlyargs, signature.kw_defaults, strict=True) if d is None]
    return is_open or keywords >= {*required}


def _leads_to(program: Analysis, scope: Scope, owner: Class | None, caller: Scope, call: ast.Call) -> bool:
    """Tell whether a callee's name means the function in the caller's scope, or the receiver may have that method."""
    if isinstance(call.func, ast.Name):
        return owner is None and program.module.scopes.owner(caller, call.func.id) is scope.parent
    if owner is None or not isinstance(call.func, ast.Attribute):
        return False
    receiver = call.func.value
    if isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "super":
        own = program.module.class_of(caller)
        return own is None or (own not in owner.linearized() and _are_related(program, own, owner))
    value = program.estimate(caller, receiver)
    if isinstance(value.ref, Instance | Class):
        return _are_related(program, value.ref.of if isinstance(value.ref, Instance) else value.ref, owner)
    return not value.must_be(TENSOR | NUMBER | NONE | TEXT | SHAPE | CONTAINER | ARRAY)


def _are_related(program: Analysis, first: Class, second: Class) -> bool:
    """Tell whether an object can be an instance of both classes."""
    family = (first, *program.descendants(first))
    return any(second in cls.linearized() for cls in family) or first in second.linearized()
