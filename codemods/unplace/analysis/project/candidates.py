"""Finds the functions that may contain an in-place operation on a tensor, by syntax: only these have to be walked.

Left out are operations that write no tensor whatever the values are: a store under a string, `+=` on a name only bound
to displays or texts, a call of a function that torch doesn't have. Where modules may have `inplace=True`, the functions
that call something which may be one are candidates, too (`analysis.types.propagation`), and so are those that call what
may be an in-place method or function by another name (`bump = acc.mul_`).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable

from unplace import torchapi
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.syntax.bindings import is_text, is_text_key, last_name, root_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.flows import flows
from unplace.analysis.types.propagation import FACTORY, INSTANCE, Holders
from unplace.diagnostics.forms import PARTIAL, WRITERS, asks_in_place, has_true
from unplace.torchapi import members, modes

_CONTAINERS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKES_CONTAINERS = frozenset(["dict", "list", "set", "OrderedDict", "defaultdict", "Counter"])
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
        return INSTANCE
    if qualified == PARTIAL:
        return INSTANCE | FACTORY if asks_in_place(call) else 0
    made = torchapi.module(qualified)
    return INSTANCE if made is not None and made.inplace is not None else 0


def _may_write(module: ModuleIndex, scope: Scope, node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign):
        if isinstance(node.value, _CONTAINERS) or is_text(node.value):
            return False
        return not (isinstance(node.target, ast.Name) and _is_no_tensor(module, scope, node.target.id))
    if isinstance(node, ast.Subscript):
        if is_text_key(node.slice):
            return False
        return not (isinstance(node.value, ast.Name) and _is_no_tensor(module, scope, node.value.id))
    if isinstance(node, ast.Attribute):
        return node.attr == "data" or _is_in_place(node.attr)
    return not isinstance(node, ast.Call) or _may_call(module, scope, node)


def _is_no_tensor(module: ModuleIndex, scope: Scope, name: str) -> bool:
    """Tell whether a name of the scope is only ever bound to texts, lists and dictionaries."""
    if name not in scope.assigned or name in scope.volatile or any(p.arg == name for p in scope.parameters):
        return False
    sources = module.bindings(scope).sources.get(name, ())
    return bool(sources) and all(_makes_no_tensor(module, source) for source in sources)


def _makes_no_tensor(module: ModuleIndex, source: ast.AST) -> bool:
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
        return source.func.id in _MAKES_CONTAINERS and source.func.id not in module.scopes.module.assigned
    if isinstance(source, ast.Tuple | ast.List) and isinstance(source.ctx, ast.Store):
        return False  # the name is one of several that something is unpacked into
    return isinstance(source, _CONTAINERS) or (isinstance(source, ast.expr) and is_text(source))


def _may_call(module: ModuleIndex, scope: Scope, node: ast.Call) -> bool:
    if any(keyword.arg == "out" for keyword in node.keywords):
        return True
    name = last_name(node.func) or ""
    if _is_in_place(name):
        return True
    qualified = module.qualified(scope, node.func)
    if qualified is not None and torchapi.inplace_function(qualified) is not None:
        return True
    if qualified in WRITERS:
        return True
    return has_true(node) and _may_take_flag(node, qualified)


def _may_take_flag(node: ast.Call, qualified: str | None) -> bool:
    """Tell whether a call with a True argument may call a function (not a class) that has a parameter `inplace`."""
    if qualified is not None:
        return torchapi.inplace_flag(qualified) is not None
    if isinstance(node.func, ast.Attribute):
        return node.func.attr not in _OF_OTHERS and not node.func.attr[:1].isupper()
    return not (isinstance(node.func, ast.Name) and (node.func.id[:1].isupper() or hasattr(builtins, node.func.id)))
