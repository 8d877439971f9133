"""The classes of a module, and what their methods assign to the attributes of instances."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from unplace.analysis.domain.refs import Class, Parents
from unplace.analysis.syntax.bindings import last_name, named_store
from unplace.analysis.syntax.nodes import DISPLAYS, code_of, walk
from unplace.analysis.syntax.patterns import WILD, text_pattern
from unplace.analysis.syntax.scopes import Scope
from unplace.torchapi import modes, modules

OF_INSTANCES = frozenset(["forward", "__call__"])
"""The methods that a call of an object may run."""

Qualified = Callable[[Scope, ast.expr], "str | None"]
Imported = Callable[[Scope, ast.expr], "tuple[str | None, Class | None]"]

_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_FOR_LOOPS = (ast.For, ast.AsyncFor)
_STORING = frozenset([*_ASSIGNMENTS, *_FOR_LOOPS, ast.AugAssign])
_NAMED_TUPLE: list[str | None] = ["typing.NamedTuple"]
_HARMLESS = frozenset(["eq", "frozen", "order", "repr", "slots", "unsafe_hash"])
"""The options of a dataclass that don't change what its constructor stores."""

_PSEUDO = frozenset(["ClassVar", "InitVar", "KW_ONLY"])
"""Annotations of names that are no fields, or that change the fields after them."""

_INTERFERING = frozenset(
    [
        *("__delattr__", "__getattr__", "__getattribute__", "__init__", "__init_subclass__", "__new__"),
        *("__post_init__", "__setattr__"),
    ]
)


def collect(scope: Scope, qualified: Qualified, imported: Imported) -> dict[ast.ClassDef, Class]:
    """Return all classes in and below a scope, outer ones first.

    `qualified` resolves imported names within the file. `imported` also resolves them through other files, where it may
    find a class, and is called only when a class is used.
    """
    found: dict[str, list[Class]] = {}
    _collect(scope, qualified, imported, found)
    return {c.node: c for classes in found.values() for c in classes}


def _collect(scope: Scope, qualified: Qualified, imported: Imported, found: dict[str, list[Class]]) -> None:
    for inner in scope.inner:
        if isinstance(inner.node, ast.ClassDef):
            known = [list(found.get(code_of(base), ())) for base in inner.node.bases]
            find_parents = partial(_parents_of, inner.node, scope, known, imported)
            found.setdefault(inner.node.name, []).append(_describe(inner, inner.node, find_parents, qualified))
        _collect(inner, qualified, imported, found)


def _parents_of(node: ast.ClassDef, outer: Scope, known: list[list[Class]], imported: Imported) -> Parents:
    names: list[str] = []
    classes: list[Class] = []
    for base, candidates in zip(node.bases, known, strict=True):
        qualified, elsewhere = imported(outer, base)
        names.append(qualified or code_of(base))
        classes += [elsewhere] if elsewhere is not None else candidates if qualified is None else []
    return Parents(tuple(names), tuple(classes))


def _describe(scope: Scope, node: ast.ClassDef, find_parents: Callable[[], Parents], qualified: Qualified) -> Class:
    found = Class(node, scope, find_parents)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if not _keeps_meaning(statement, scope, qualified):
                found.special.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and statement.value is None:
            if isinstance(statement.target, ast.Name):
                found.declared[statement.target.id] = statement.annotation
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found.special.update(t.id for t in targets if isinstance(t, ast.Name))
    for method in scope.inner:
        _collect_attributes(found, method, qualified)
    found.fields = _fields(scope, node, qualified)
    found.special -= set(found.fields or ())
    return found


def _fields(scope: Scope, node: ast.ClassDef, qualified: Qualified) -> tuple[str, ...] | None:
    """Return the attributes that calling the class stores, in the order of its arguments; None if it may do more."""
    outer = scope.parent
    if outer is None or node.keywords:
        return None
    bases = [qualified(outer, base) for base in node.bases]
    if bases != _NAMED_TUPLE and (bases or not _is_dataclass(node, outer, qualified)):
        return None
    found: list[str] = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if not _is_plain_field(statement):
                return None
            found.append(statement.target.id)
        elif isinstance(statement, ast.FunctionDef):
            if statement.name in _INTERFERING:
                return None
        elif not isinstance(statement, ast.Pass | ast.Expr):
            return None
    return tuple(found)


def _is_dataclass(node: ast.ClassDef, outer: Scope, qualified: Qualified) -> bool:
    if len(node.decorator_list) != 1:
        return False
    (decorator,) = node.decorator_list
    if isinstance(decorator, ast.Call):
        if decorator.args or any(k.arg not in _HARMLESS for k in decorator.keywords):
            return False
        decorator = decorator.func
    return qualified(outer, decorator) == "dataclasses.dataclass"


def _is_plain_field(statement: ast.AnnAssign) -> bool:
    names = {last_name(n) for n in walk(statement.annotation) if isinstance(n, ast.expr)}
    written = statement.annotation.value if isinstance(statement.annotation, ast.Constant) else ""
    if names & _PSEUDO or any(name in str(written) for name in _PSEUDO):
        return False
    options = statement.value.keywords if isinstance(statement.value, ast.Call) else []
    return not any(option.arg in ("init", "kw_only", None) for option in options)


def _keeps_meaning(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, qualified: Qualified) -> bool:
    """Tell whether calling a method does what its body says, in spite of its decorators."""
    others = [
        d for d in node.decorator_list if not (isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod"))
    ]
    targets = [d.func if isinstance(d, ast.Call) else d for d in others]
    return all(qualified(scope, target) in modes.KEEPING_METHODS for target in targets)


def _collect_attributes(owner: Class, method: Scope, qualified: Qualified) -> None:
    node = method.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.args.args:
        return
    me = node.args.args[0].arg
    for statement in method.nodes:
        if isinstance(statement, ast.Call):
            _collect_call(owner, method, statement, me, qualified)
        elif type(statement) in _STORING:
            _collect_stores(owner, method, statement, me, qualified)


def _collect_stores(owner: Class, method: Scope, statement: ast.AST, me: str, qualified: Qualified) -> None:
    """Record the attributes that an assignment or a loop of a method stores."""
    if isinstance(statement, _ASSIGNMENTS):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            for name, value in _stored(target, statement.value, me):
                _add(owner, name, method, value, qualified)
            if isinstance(target, ast.Subscript) and (holder := _held_by(target.value, me)) is not None:
                if statement.value is not None:
                    owner.added.setdefault(holder, []).append((method, statement.value))
    elif isinstance(statement, ast.AugAssign):
        for name, value in _stored(statement.target, statement.value, me):
            owner.augmented.setdefault(name, []).append((method, value or statement.value))
    elif isinstance(statement, _FOR_LOOPS):
        for name, _ in _stored(statement.target, None, me):
            _add(owner, name, method, None, qualified)


def _collect_call(owner: Class, method: Scope, call: ast.Call, me: str, qualified: Qualified) -> None:
    """Record what a call of a method registers as an attribute, or puts into a collection that an attribute holds."""
    function, stored = call.func, named_store(call)
    if stored is not None and _held_by(stored.holder, me) == "":
        _add_named(owner, stored.name, method, stored.value, qualified)
    if not isinstance(function, ast.Attribute) or not call.args:
        return
    name, first = function.attr, call.args[0]
    if name in ("register_buffer", "register_parameter"):
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            owner.registered.add(first.value)
            if name == "register_buffer":
                owner.buffers.add(first.value)
        return
    holder = _held_by(function.value, me)
    if holder is None:
        return
    if name in modules.REGISTERING and len(call.args) == 2:
        if not holder:
            _add_named(owner, first, method, call.args[1], qualified)
        owner.added.setdefault(holder, []).append((method, call.args[1]))
    elif name in modules.ADDING:
        owner.added.setdefault(holder, []).append((method, call.args[-1]))
    elif name in modules.EXTENDING:
        owner.extended.setdefault(holder, []).append((method, first))


def _held_by(node: ast.expr, me: str) -> str | None:
    """Return `blocks` for `self.blocks`, the empty text for `self` itself, and None for anything else."""
    if isinstance(node, ast.Name):
        return "" if node.id == me else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == me:
        return node.attr
    return None


def _add_named(owner: Class, name: ast.expr, method: Scope, value: ast.expr, qualified: Qualified) -> None:
    """Record an attribute that is set by a name which may be computed: `setattr(self, f"layer{i}", layer)`."""
    pattern = text_pattern(name)
    if WILD in pattern:
        owner.patterns.setdefault(pattern, []).append((method, value))
    else:
        _add(owner, pattern, method, value, qualified)


def _add(owner: Class, name: str, method: Scope, value: ast.expr | None, qualified: Qualified) -> None:
    owner.assigned.setdefault(name, []).append((method, value))
    made = qualified(method, value.func) if isinstance(value, ast.Call) else None
    if made in modules.REGISTERED_CLASSES:
        owner.registered.add(name)
        if made.endswith("Buffer"):
            owner.buffers.add(name)


def _stored(target: ast.expr, value: ast.expr | None, me: str) -> Iterator[tuple[str, ast.expr | None]]:
    """Iterate over the attributes of an object that an assignment stores, with what each gets, where that is told."""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me:
        yield target.attr, value
    elif isinstance(target, DISPLAYS):
        elements = value.elts if isinstance(value, DISPLAYS) and len(value.elts) == len(target.elts) else ()
        is_told = not any(isinstance(part, ast.Starred) for part in (*target.elts, *elements))
        for index, element in enumerate(target.elts):
            yield from _stored(element, elements[index] if elements and is_told else None, me)


def is_static(node: ast.AST) -> bool:
    """Tell whether a method is declared with `@staticmethod`."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in getattr(node, "decorator_list", []))


def is_class_method(node: ast.AST) -> bool:
    """Tell whether a method is declared with `@classmethod`, which makes its first parameter the class."""
    return any(isinstance(d, ast.Name) and d.id == "classmethod" for d in getattr(node, "decorator_list", []))
