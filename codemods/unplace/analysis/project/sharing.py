"""Finds other holders of a tensor that an attribute holds, from the class and the calls that create its objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain

from unplace import torchapi
from unplace.analysis.domain.facts import Facts
from unplace.analysis.domain.refs import Class, Instance
from unplace.analysis.domain.values import NO_OBJS, Obj
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.nodes import code_of, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for
from unplace.diagnostics.reasons import Line, Reason
from unplace.diagnostics.refusals import Refusal


def attributes_holding(state: Facts, obj: Obj) -> Iterator[tuple[Class, str]]:
    """Iterate over the attributes of named objects that hold an object, as pairs of class and attribute name."""
    for (holder, name), held in state.heap.items():
        if obj in held.objs and isinstance(name, str):
            for value in state.env.values():
                if isinstance(value.ref, Instance) and holder in value.objs:
                    yield value.ref.of, name


def other_holder(program: Analysis, owner: Class, name: str) -> Reason | None:
    """Return the reason why an attribute isn't the only holder of its tensor; None where the file shows none."""
    return other_attribute(program, owner, name) or _holder_outside(program.module, owner, name)


@once
def _holder_outside(module: ModuleIndex, owner: Class, name: str) -> Reason | None:
    """Return the reason why code outside the methods of a class also holds the tensor of an attribute."""
    for scope, call in module.calls_named(owner.node.name):
        given = next(given_too(owner, name, scope, call), None)
        if given is not None:
            return Refusal.GIVEN_TOO(other=code_of(given), line=Line(call.lineno), name=name)
    taken = next(_taken(module, name), None)
    if taken is not None:
        return Refusal.TAKEN_TOO(other=taken.id, line=Line(taken.lineno), name=name)
    passing = next(_passing(module, owner, name), None)
    return Refusal.PASSED_TOO(line=Line(passing.lineno), name=name) if passing is not None else None


def other_attribute(program: Analysis, owner: Class, name: str) -> Reason | None:
    """Return the reason why another attribute of the object may hold the same; None where the class shows none."""
    other = next(_twins(program, owner, name), None)
    return Refusal.ATTRIBUTE_TOO(other=other, name=name) if other is not None else None


def _taken(module: ModuleIndex, name: str) -> Iterator[ast.Name]:
    """Iterate over names that share memory with the attribute by an assignment outside its object's methods.

    h = net.h[0]
    net.h = h
    """
    for scope in module.scopes.by_node.values():
        for node in scope.nodes:
            if not isinstance(node, ast.Assign):
                continue
            if any(_is_from_outside(part, name) for part in _parts(node.value)):
                yield from (t for t in node.targets if isinstance(t, ast.Name) and is_read_elsewhere(scope, t))
            root = root_of(node.value) if any(_is_from_outside(target, name) for target in node.targets) else None
            if isinstance(root, ast.Name) and is_read_elsewhere(scope, root):
                yield root


def _passing(module: ModuleIndex, owner: Class, name: str) -> Iterator[ast.Call]:
    """Iterate over calls of methods that use the attribute and also receive it, or a view of it, as an argument."""
    methods = (s for cls in owner.linearized() for s in cls.node.body if isinstance(s, ast.FunctionDef))
    for method in methods:
        if not any(isinstance(node, ast.Attribute) and node.attr == name for node in walk(method)):
            continue
        for _, call in module.calls_named(method.name):
            roots = [root_of(argument) for argument in (*call.args, *(k.value for k in call.keywords))]
            if any(isinstance(root, ast.Attribute) and root.attr == name for root in roots):
                yield call


def _parts(source: ast.expr) -> Sequence[ast.expr]:
    """Return the elements of a list or tuple; for any other expression, the expression itself."""
    return source.elts if isinstance(source, ast.List | ast.Tuple) else [source]


def _is_from_outside(source: ast.expr, name: str) -> bool:
    """Tell whether an expression is, or may be a view of, an attribute `name` on something other than `self`."""
    root = root_of(source)
    if not isinstance(root, ast.Attribute) or root.attr != name:
        return False
    return isinstance(root.value, ast.Name) and root.value.id != "self"


def given_too(owner: Class, name: str, scope: Scope, call: ast.Call) -> Iterator[ast.Name | ast.Attribute]:
    """Iterate over attributes, and names read again, that also have what a call of the class puts into an attribute."""
    for source in _sources_passed(owner, name, call):
        root = root_of(source) if source is not None else None
        if isinstance(root, ast.Attribute) or (isinstance(root, ast.Name) and is_read_elsewhere(scope, root)):
            yield root


def _sources_passed(owner: Class, name: str, call: ast.Call) -> Iterator[ast.expr | None]:
    """Iterate over the arguments by which a call of the class sets the attribute of the new object."""
    if owner.fields is not None:
        given = {k.arg: k.value for k in call.keywords}
        yield dict(zip(owner.fields, call.args, strict=False)).get(name, given.get(name))
    for method, source in _sources(owner, name):
        if method.name == "__init__" and isinstance(source, ast.Name):
            yield argument_for(method, call, source.id)


def _sources(owner: Class, name: str) -> Iterator[tuple[Scope, ast.expr]]:
    """Iterate over the expressions that the class and its ancestors assign to an attribute, with the methods."""
    for cls in owner.linearized():
        for method, source in cls.assigned.get(name, ()):
            if source is not None:
                yield method, source


def _twins(program: Analysis, owner: Class, name: str) -> Iterator[str]:
    """Iterate over what else holds the memory of an attribute when a method of the class ends.

    self.a = a              self.views = [self.a.t()]
    """
    for cls in owner.linearized():
        for method in cls.scope.inner:
            for _, state in program.exits(method) if method.parameters and not method.is_class else ():
                own = state.env.get(method.parameters[0].arg)
                fields = dict(chain.from_iterable(map(state.fields_of, own.objs if own is not None else NO_OBJS)))
                shared = state.roots(fields.pop(name).objs) if name in fields else NO_OBJS
                for key, value in fields.items():
                    if not shared.isdisjoint(state.roots(state.reachable(value.objs))):
                        yield str(key)


def root_of(source: ast.expr) -> ast.Name | ast.Attribute | None:
    """Return the name or attribute that an expression is, or may be, a view of: `x` for `x.T[0]`."""
    while not isinstance(source, ast.Name):
        if isinstance(source, ast.Attribute) and isinstance(source.value, ast.Name):
            return source
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
            is_function = isinstance(source.func.value, ast.Name) and source.func.value.id == "torch"
            name = source.func.attr
            operator = torchapi.function(f"torch.{name}") if is_function else torchapi.tensor_method(name)
            if operator is None or operator.view is torchapi.View.NEVER or (is_function and not source.args):
                return None
            source = source.args[0] if is_function else source.func.value
        elif isinstance(source, ast.Subscript | ast.Attribute):
            source = source.value
        else:
            return None
    return source


def is_read_elsewhere(scope: Scope, name: ast.Name) -> bool:
    """Tell whether a scope reads a name in another place, too, or an inner scope captures it."""
    reads = [n for n in scope.names if n.id == name.id and isinstance(n.ctx, ast.Load) and n is not name]
    return bool(reads) or name.id in scope.captured
