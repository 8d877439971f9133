"""Tells by the bindings alone, whatever the control flow, which names and attributes never hold a tensor.

steps = 0                       h, w = x.shape[2:]              self.cache = {}
steps += len(batch)             h -= 1                          self.cache[key] = x

They are plain: numbers, texts and collections. A number that something else is added to may become a tensor.

loss = 0
loss += term
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace import torchapi
from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.values import NUMBER
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.bindings import is_text, yields_numbers
from unplace.analysis.syntax.nodes import NUMBERS
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import kinds
from unplace.analysis.types.callees import RESULTS, Callees
from unplace.analysis.types.own_methods import own_methods
from unplace.analysis.types.parameters import default_of

COLLECTIONS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
"""The types of the expressions that make a collection."""

_MAKES_COLLECTIONS = frozenset(["dict", "list", "set", "OrderedDict", "defaultdict", "Counter"])
_OF_NUMBERS = frozenset(f"builtins.{name}" for name in ("abs", "max", "min", "pow", "round"))
"""Functions of Python that give a number for numbers."""

_Source = tuple[Scope, ast.expr | None]
"""What is assigned, and where; None where that isn't a plain expression."""


@once
def is_plain(module: ModuleIndex, scope: Scope, name: str) -> bool:
    """Tell whether a name is only ever bound to numbers, to texts or to collections, by the scope that binds it."""
    owner = module.scopes.owner(scope, name)
    if owner is None or name not in owner.assigned or name in owner.volatile:
        return False
    sources = [*_bound(module, owner, name)]
    is_parameter = any(parameter.arg == name for parameter in owner.parameters)
    if sources and not is_parameter and all(_is_no_number(*source) for source in sources):
        return True
    return _are_numbers(module, [*sources, *_added(module, owner, name)])


@once
def is_plain_attribute(module: ModuleIndex, scope: Scope, name: str) -> bool:
    """Tell whether an attribute of the object of a method only ever gets numbers, texts or collections.

    Nothing else than the methods of the class and its relatives in this file may store it.
    """
    cls = module.class_of(scope)
    if cls is None or module.stores_in_others(name):
        return False
    family = (*cls.linearized(), *module.descendants(cls))
    if any(_is_special(each, name) or home(each.scope) is not module for each in family):
        return False
    sources = [source for each in family for source in each.assigned.get(name, ())]
    if not sources:
        return False
    added = [source for each in family for source in each.augmented.get(name, ())]
    is_plain = all(_is_no_number(*source) for source in sources) or _are_numbers(module, [*sources, *added])
    return is_plain and not module.is_named_elsewhere(name)  # last, because it reads the other files


def _is_special(cls: Class, name: str) -> bool:
    return bool(cls.patterns) or name in cls.registered or name in cls.special


def _bound(module: ModuleIndex, scope: Scope, name: str) -> Iterator[_Source]:
    """Iterate over what a name is bound to, but for parameters and loops that give numbers."""
    given = [parameter for parameter in scope.parameters if parameter.arg == name]
    sources = module.bindings(scope).sources.get(name, ())
    if not all(_takes_numbers(scope, parameter) for parameter in given) or not (given or sources):
        yield scope, None
    for source in sources:
        if isinstance(source, ast.expr):
            yield scope, source
        elif not isinstance(source, ast.For) or not yields_numbers(source, name):
            yield scope, None


def _added(module: ModuleIndex, scope: Scope, name: str) -> Iterator[_Source]:
    """Iterate over what is added to a name: `n += k`."""
    return ((scope, source) for source in module.bindings(scope).extended.get(name, ()))


def _takes_numbers(scope: Scope, parameter: ast.arg) -> bool:
    """Tell whether a parameter takes numbers, by its annotation or, without one, by its default."""
    if isinstance(scope.node, ast.Module | ast.ClassDef):
        return False
    if parameter.annotation is not None:
        return kinds.of_annotation(parameter.annotation) == NUMBER
    return kinds.of_default(default_of(scope.node.args, parameter)) == NUMBER


def _is_no_number(scope: Scope, source: ast.AST | None) -> bool:
    """Tell whether what is assigned is a text or a collection."""
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
        return source.func.id in _MAKES_COLLECTIONS and source.func.id not in scope.module.assigned
    if isinstance(source, ast.Tuple | ast.List) and isinstance(source.ctx, ast.Store):
        return False  # the name is one of several that something is unpacked into
    return isinstance(source, COLLECTIONS) or (isinstance(source, ast.expr) and is_text(source))


def _are_numbers(module: ModuleIndex, sources: list[_Source]) -> bool:
    """Tell whether expressions give numbers, and all names in them are only ever bound to numbers."""
    seen, todo = set[tuple[Scope, str]](), sources
    while todo:
        scope, source = todo.pop()
        if isinstance(source, ast.Name):
            if source.id not in scope.assigned or source.id in scope.volatile:
                return False
            if (scope, source.id) not in seen:
                seen.add((scope, source.id))
                todo += (*_bound(module, scope, source.id), *_added(module, scope, source.id))
            continue
        parts = _parts(module, scope, source) if source is not None else None
        if parts is None:
            return False
        todo += [(scope, part) for part in parts]
    return True


def _parts(module: ModuleIndex, scope: Scope, node: ast.expr) -> list[ast.expr] | None:
    """Return the parts of an expression that gives a number if they all do; None where it may give anything else."""
    match node:
        case ast.Constant():
            return [] if type(node.value) in NUMBERS else None
        case ast.UnaryOp(ast.Not()) | ast.Compare(ops=[ast.Is() | ast.IsNot()]) | ast.Attribute(attr="ndim"):
            return []
        case ast.UnaryOp():
            return [node.operand]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return node.values
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Subscript():
            is_one = not isinstance(node.slice, ast.Slice) and _is_shape(module, node.value)
            return [] if is_one else None
        case ast.Call():
            return _parts_of_call(module, scope, node)
    return None


def _parts_of_call(module: ModuleIndex, scope: Scope, call: ast.Call) -> list[ast.expr] | None:
    callees, callee = Callees(module, scope), call.func
    if callees.qualified(callee) in _OF_NUMBERS:
        is_unpacked = call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args)
        return call.args if not is_unpacked else None
    signature = callees.signature(call)
    if signature is not None:
        return [] if signature.is_test or signature.result == NUMBER else None
    if not isinstance(callee, ast.Attribute) or callee.attr in own_methods(module):
        return None
    method = torchapi.tensor_method(callee.attr)
    is_one_size = callee.attr == "size" and len(call.args) == 1
    return [] if is_one_size or (method is not None and RESULTS[method.result] == NUMBER) else None


def _is_shape(module: ModuleIndex, node: ast.expr) -> bool:
    """Tell whether an expression is all sizes of a tensor: `x.shape`, `x.size()`."""
    if isinstance(node, ast.Call):
        is_of_all = not (node.args or node.keywords) and "size" not in own_methods(module)
        return is_of_all and isinstance(node.func, ast.Attribute) and node.func.attr == "size"
    return isinstance(node, ast.Attribute) and node.attr == "shape"
