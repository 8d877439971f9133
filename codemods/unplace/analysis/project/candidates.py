"""Finds the functions that may contain an in-place operation on a tensor, by syntax: only these have to be walked.

Left out are operations that write no tensor whatever the values are: a store under a string, `+=` on a name only bound
to displays, texts or numbers, a call of a function that torch doesn't have. Where modules may have `inplace=True`, the
functions that call something which may be one are candidates, too (`analysis.types.propagation`), and so are those that
call what may be an in-place method or function by another name (`bump = acc.mul_`).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable

from unplace import torchapi
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import is_text, is_text_key, last_name, root_name
from unplace.analysis.syntax.scopes import Scope, variadic
from unplace.analysis.types.flows import flows
from unplace.analysis.types.own_methods import own_methods
from unplace.analysis.types.plain import COLLECTIONS, is_plain, is_plain_attribute
from unplace.analysis.types.propagation import FACTORY, INSTANCE, Holders
from unplace.diagnostics.forms import PARTIAL, WRITERS, asks_in_place, has_true
from unplace.torchapi import members, modes

_OF_OTHERS = frozenset(name for kind in (dict, list, set, str) for name in vars(kind))


Reaches = Callable[[ast.AST], bool]
"""Predicate on a definition (or the module outside all definitions): is its content asked for?"""


def candidates(module: ModuleIndex, reaches: Reaches) -> list[Scope]:
    """Return the scopes that may contain an in-place operation, among those that `reaches` selects."""
    found = (scope for scope in module.scopes.by_node.values() if reaches(scope.node))
    return [scope for scope in found if _is_candidate(module, scope) and _is_asked_for(module, scope, reaches)]


def _is_asked_for(module: ModuleIndex, scope: Scope, reaches: Reaches) -> bool:
    """Tell whether a scope's own operations are asked for: those of a definition are; the module's, if one is."""
    return not scope.is_module or any(map(reaches, scope.suspects)) or any(map(reaches, _activated(module)))


@once
def _activated(module: ModuleIndex) -> list[ast.Call]:
    """Return the calls outside of definitions of what may be a module made with `inplace=True`."""
    activations, nodes = _activations(module), module.scopes.module.nodes
    if activations is None:
        return []
    return [node for node in nodes if isinstance(node, ast.Call) and activations.is_called(node.func)]


@once
def _is_candidate(module: ModuleIndex, scope: Scope) -> bool:
    if _is_compiled_elsewhere(module, scope):
        return False
    activations = _activations(module)
    return any(_may_write(module, scope, node) for node in scope.suspects) or (
        activations is not None and activations.are_called_in(scope)
    )


@once
def _is_compiled_elsewhere(module: ModuleIndex, scope: Scope) -> bool:
    """Tell whether a decorator hands a function to another compiler, which knows no tensors of torch.

    What else the name may be, where the compiler can't be imported, doesn't matter: the function was written for it.
    """
    for decorator in getattr(scope.node, "decorator_list", ()):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        imported = module.imports.names.get(root_name(target) or "", "")
        if imported.partition(".")[0] in modes.OTHER_COMPILERS:
            return True
    return scope.parent is not None and _is_compiled_elsewhere(module, scope.parent)


@once
def _activations(module: ModuleIndex) -> Holders | None:
    """Return the names that may hold modules made with `inplace=True`, or in-place methods; None for none."""
    made = {call: mark for call, scope in module.scopes.flagged if (mark := _mark_of_made(module, scope, call))}
    handed = dict.fromkeys(sorted(filter(_is_in_place, module.scopes.handed)), INSTANCE)
    return Holders(flows(module), made, handed) if made or handed else None


def _is_in_place(name: str) -> bool:
    """Tell whether tensors have an in-place method, or torch an in-place function, of this name."""
    is_operator = name.strip("_") in members.OF_OPERATORS
    return is_operator or torchapi.inplace_method(name) is not None or name in torchapi.inplace_names()


def _mark_of_made(module: ModuleIndex, scope: Scope, call: ast.Call) -> int:
    """Return the mark of what a call with a True argument makes: a torch module that works in place, or its class."""
    qualified = module.qualified(scope, call.func)
    if qualified is None:
        return INSTANCE if _is_unknown(module, call.func) else 0
    if qualified == PARTIAL:
        return INSTANCE | FACTORY if asks_in_place(call) else 0
    made = torchapi.module(qualified)
    return INSTANCE if made is not None and made.inplace is not None else 0


def _is_unknown(module: ModuleIndex, callee: ast.expr) -> bool:
    """Tell whether a callee is anything but a method of collections and texts: `kwargs.pop("strict", True)`."""
    is_of_others = isinstance(callee, ast.Attribute) and callee.attr in _OF_OTHERS
    return not is_of_others or last_name(callee) in own_methods(module)


def _may_write(module: ModuleIndex, scope: Scope, node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign):
        if isinstance(node.value, COLLECTIONS) or is_text(node.value):
            return False
        return not _is_plain(module, scope, node.target)
    if isinstance(node, ast.Subscript):
        return not is_text_key(node.slice) and not _is_plain(module, scope, node.value)
    if isinstance(node, ast.Attribute):
        return node.attr == "data" or _is_in_place(node.attr)
    return not isinstance(node, ast.Call) or _may_call(module, scope, node)


def _is_plain(module: ModuleIndex, scope: Scope, target: ast.expr) -> bool:
    """Tell whether a name, or an attribute of a method's object, never holds a tensor, by what is assigned to it."""
    if isinstance(target, ast.Name):
        return is_plain(module, scope, target.id)
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return False
    own = scope.parameters[0].arg if scope.parameters else None
    is_own = target.value.id == own and own not in module.bindings(scope).sources
    return is_own and is_plain_attribute(module, scope, target.attr)


def _may_call(module: ModuleIndex, scope: Scope, node: ast.Call) -> bool:
    if any(keyword.arg == "out" for keyword in node.keywords):
        return True
    qualified = module.qualified(scope, node.func)
    if _is_in_place(last_name(node.func) or "") and not _is_of_library(module, qualified):
        return True
    if qualified is not None and torchapi.inplace_function(qualified) is not None:
        return True
    if qualified in WRITERS:
        return True
    return has_true(node) and _may_take_flag(module, node, qualified)


def _is_of_library(module: ModuleIndex, qualified: str | None) -> bool:
    """Tell whether a qualified name is that of a library other than torch, which no file of the run defines."""
    if qualified is None or qualified.partition(".")[0] == "torch":
        return False
    return isinstance(module.target(qualified), str)


def _may_take_flag(module: ModuleIndex, node: ast.Call, qualified: str | None) -> bool:
    """Tell whether a call with a True argument may call a function (not a class) that has a parameter `inplace`.

    The function takes what it writes, too: `act_layer(inplace=True)` makes a layer.
    """
    if not node.args and all(keyword.arg == "inplace" for keyword in node.keywords):
        return False
    if qualified is not None:
        return torchapi.inplace_flag(qualified) is not None
    if isinstance(node.func, ast.Attribute):
        name = node.func.attr
        is_special = name[:2] == name[-2:] == "__"  # super().__init__(size, True)
        return _is_unknown(module, node.func) and not is_special and not name[:1].isupper()
    if not isinstance(node.func, ast.Name):
        return True
    return not (node.func.id[:1].isupper() or hasattr(builtins, node.func.id) or _has_no_flag(module, node.func.id))


def _has_no_flag(module: ModuleIndex, name: str) -> bool:
    """Tell whether a name only means functions of the module, and none of them has a parameter `inplace`."""
    scopes = module.scopes.by_node
    if any(name in scope.bound for scope in scopes.values() if not scope.is_module):
        return False
    definitions = module.bindings(module.scopes.module).sources.get(name, [])
    functions = [node for node in definitions if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    taken = {parameter.arg for node in functions for parameter in scopes[node].parameters}
    is_open = len(functions) < len(definitions) or any(variadic(scopes[node]) for node in functions)
    return bool(functions) and not is_open and "inplace" not in taken
