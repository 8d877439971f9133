"""Tells whether all calls of a function are known, where the run sees the whole program.

Every use of the function's name in the run has to be a call that was followed. A `forward` is called by calls of
objects; so every call of what may be such an object has to be followed, or to be known to call something else. What is
an entry point counts as open: a name that stands in quotes (`__all__`, a registry, `getattr`) or has a decorator that
may register it, a method that a base class from outside may call, and what nothing in the run calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from unplace.analysis.domain.refs import Bound, Class, Function, Instance, Member, ModuleList, Named, TorchModule
from unplace.analysis.domain.values import ARRAY, CONTAINER, NONE, NUMBER, SHAPE, TENSOR, TEXT, Value
from unplace.analysis.project.calling import importing, names_of
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.overriding import is_derived
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.classes import OF_INSTANCES
from unplace.analysis.syntax.imports import imported
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.flows import flows
from unplace.analysis.types.propagation import FACTORY, INSTANCE, Holders

_DYNAMIC = ("import_module", "__import__", "sys.modules")
_BASES = frozenset(["torch.nn.Module", "object", "abc.ABC", "typing.Generic", "typing.Protocol"])
_TAKES_OBJECTS = frozenset(["append", "extend", "insert", "isinstance", "len", "id", "print", "repr", "type", "super"])
_NO_OBJECT = TENSOR | NUMBER | NONE | TEXT | SHAPE | CONTAINER | ARRAY
_MOST_NAMES = 300
"""Maximum number of names that may hold objects of a class; with more, hardly a call could be told from theirs."""

_GIVING = ("__dict__", "_modules", "children", "get_submodule", "getattr", "modules", "named_children", "named_modules")
"""The names by which code gets at objects that it doesn't name."""

_HOOKS = ("register_forward_hook", "register_forward_pre_hook", "register_module_forward_hook")
"""The functions whose arguments torch calls with the inputs of a `forward`, too."""


def are_calls_known(program: Program, scope: Scope) -> bool:
    """Tell whether every use of a function in the run is a call that was followed, and there is such a call."""
    program = program.home_of(scope)
    owner, outer = program.module.class_of(scope), scope.parent
    if outer is None or not isinstance(scope.node, ast.FunctionDef) or _is_looked_up(program, scope.name):
        return False
    if owner is not None:
        if not _is_plain(program, owner) or (scope.name.startswith("__") and scope.name not in OF_INSTANCES):
            return False
        method = program.methods(owner, scope.name).only
        if method is None or method.scope is not scope:
            return False
        bases = (cls for cls in owner.linearized() if cls is not owner)
        if scope.name not in OF_INSTANCES and any(cls.defines(scope.name) for cls in bases):
            return False  # code that knows the base class only may run this method
    elif not outer.is_module or not _is_defined_once(program, scope):
        return False
    if not all(program.can_read(frozenset([name])) for name in (scope.name, *([owner.node.name] if owner else []))):
        return False
    if _has_other_names(program, scope.name):
        return False
    uses = [*_uses(program, scope.name)]
    if any(not _is_followed(*use) and not _is_other(*use, program, scope, owner) for use in uses):
        return False
    if owner is not None and scope.name in OF_INSTANCES:
        return _are_objects_followed(program, owner)
    return any(_is_followed(*use) and not _is_other(*use, program, scope, owner) for use in uses)


def calls_in_run(program: Program, scope: Scope) -> set[ast.AST]:
    """Return the calls of a function of which all calls are known, in whatever file."""
    program = program.home_of(scope)
    owner = program.module.class_of(scope)
    found: set[ast.AST] = set()
    for user, caller, node in _uses(program, scope.name):
        run = user.run(caller)
        if run is not None and not _is_other(user, caller, node, program, scope, owner):
            found |= {call for call in run.followed if isinstance(call, ast.Call) and call.func is node}
    return found


def _is_defined_once(program: Program, scope: Scope) -> bool:
    """Tell whether a module binds a function's name to it alone, without a decorator that may register it."""
    ref = program.guess(program.module.scopes.module, scope.name).ref
    return isinstance(ref, Function) and ref.scope is scope


def _is_plain(program: Program, owner: Class) -> bool:
    """Tell whether only code of the run calls the methods of a class, as far as its bases and decorators show."""
    for cls in (*owner.linearized(), *program.descendants(owner)):
        known = {ancestor.node.name for ancestor in cls.linearized()}
        if cls.node.decorator_list or any(b not in _BASES and b.rpartition(".")[2] not in known for b in cls.bases):
            return False
    return True


def _is_looked_up(program: Program, name: str) -> bool:
    """Tell whether some code may find a function by its name as a text."""
    module = program.module
    quoted = (f'"{name}"', f"'{name}'")
    if any(text in module.text for text in (*quoted, *_DYNAMIC)) or module.looks_names_up:
        return True
    if module.others_with(name, quoted) or module.others_with("getattr", _DYNAMIC):
        return True
    if module.place is None:
        return False
    return any(
        _gets_attributes(other, module) for other in module.others_with("getattr", (re.escape(module.place.stem),))
    )


def _has_other_names(program: Program, name: str) -> bool:
    """Tell whether a file may import a function under a name that another file gave it: `from utils import f as g`."""
    for user in program.others_with(frozenset([name])):
        for own in names_of(user.module, name) - {name}:
            if user.module.others_with(own, importing(user.module, own)):
                return True
    return False


def _gets_attributes(module: ModuleIndex, of: ModuleIndex) -> bool:
    """Tell whether a file looks up attributes of another one by names that aren't constants."""
    assert of.place is not None
    wanted = Member(of.place.path)
    for scope, call in module.calls_named("getattr"):
        if len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
            if module.member(scope, call.args[0]) == wanted:
                return True
    return False


def _uses(program: Program, name: str) -> Iterator[tuple[Program, Scope, ast.expr]]:
    """Iterate over the reads of a name in the run, as a name or as an attribute, with the scope of each."""
    for user in (program, *program.others_with(frozenset([name]))):
        own = names_of(user.module, name)
        for scope in user.module.scopes.by_node.values():
            yield from ((user, scope, n) for n in scope.names if n.id in own and isinstance(n.ctx, ast.Load))
            yield from ((user, scope, n) for n in scope.of(ast.Attribute) if n.attr == name)


def _is_followed(program: Program, scope: Scope, node: ast.expr) -> bool:
    """Tell whether an expression is the callee of a call that was followed."""
    run = program.run(scope)
    return run is not None and any(isinstance(call, ast.Call) and call.func is node for call in run.followed)


def _is_other(program: Program, user: Scope, node: ast.expr, home: Program, scope: Scope, owner: Class | None) -> bool:
    """Tell whether an expression that has the name of a function, in whatever file, surely isn't that function."""
    module, place = program.module, home.module.place
    member = module.member(user, node)
    if member is not None:
        return owner is None and place is not None and member != Member(place.path, scope.name)
    written = module.qualified(user, node)
    if written is not None and (module.place is None or module.place.others.locate(module, written) is None):
        return True  # of a module from outside
    if not isinstance(node, ast.Attribute):
        bound = module.scopes.owner(user, getattr(node, "id", ""))
        is_own = bound is None or (bound.is_module and module is home.module)
        return owner is not None or (not is_own and not _is_imported(module, scope.name))
    value = program.estimate(user, node.value)
    if isinstance(value.ref, Instance | Class):
        of = value.ref.of if isinstance(value.ref, Instance) else value.ref
        if owner is not None and isinstance(value.ref, Instance) and not value.ref.is_exact and is_derived(owner, of):
            return False
        return owner is None or not ({*of.linearized()} & {owner, *program.descendants(owner)})
    return value.must_be(_NO_OBJECT)


def _is_imported(module: ModuleIndex, name: str) -> bool:
    """Tell whether any import in a file binds a name."""
    return any(own == name for node, _ in module.scopes.imports for own, _ in imported(node))


# -- objects ----------------------------------------------------------------------------------------------------------


def _are_objects_followed(program: Program, owner: Class) -> bool:
    """Tell whether every call of what may be an object of a class was followed, and there is such a call."""
    if any(hook in program.module.text or program.others_with(frozenset([hook])) for hook in _HOOKS):
        return False
    found = _holding(program, owner)
    related = {owner, *program.descendants(owner)}
    is_called = False
    for user, holders in found or ():
        for scope in user.module.scopes.by_node.values():
            calls = scope.of(ast.Call)
            suspects = [call for call in calls if holders.is_called(call.func) or _takes(holders, call)]
            run = user.run(scope) if suspects else None
            for call in suspects:
                if run is None:
                    return False
                callee = run.values.get(call.func)
                if call in run.followed:
                    is_called = True
                elif callee is None or not _calls_another(callee, call, related):
                    return False
    return is_called


def _holding(program: Program, owner: Class) -> list[tuple[Program, Holders]] | None:
    """Return the files in which names may hold objects of a class, with those names; None where there are too many."""
    names = {cls.node.name: FACTORY for cls in (owner, *program.descendants(owner))}
    names |= dict.fromkeys(_GIVING, INSTANCE | FACTORY)
    found: dict[ModuleIndex, tuple[Program, Holders]] = {}
    while True:
        files = {program.module: program}
        for name in names:
            files |= {other.module: other for other in program.others_with(frozenset([name]))}
        before = dict(names)
        for module, user in files.items():
            marked = {own: mark for name, mark in before.items() for own in names_of(module, name)}
            holders = Holders(flows(module), {}, marked)
            found[module] = (user, holders)
            for name, mark in holders.marks.items():
                names[name] = names.get(name, 0) | mark
        if names == before:
            return list(found.values())
        if len(names) > _MOST_NAMES:
            return None


def _takes(holders: Holders, call: ast.Call) -> bool:
    """Tell whether a call gets what may be an object of the class as an argument."""
    return any(holders.may_be(argument) for argument in (*call.args, *(k.value for k in call.keywords)))


def _calls_another(callee: Value, call: ast.Call, related: set[Class]) -> bool:
    """Tell whether a call runs no object of some classes: it only makes or keeps one, or calls something else."""
    ref = callee.ref
    if isinstance(ref, Class | Function):
        return True
    if isinstance(ref, Instance):
        return ref.of not in related
    if isinstance(ref, TorchModule):
        return ref.parts is not None and all(isinstance(p.ref, TorchModule) and p.ref.parts is None for p in ref.parts)
    if isinstance(ref, Named):
        return ref.qualified.rpartition(".")[2] in {*_TAKES_OBJECTS, "ModuleList", "ModuleDict"}
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr in _TAKES_OBJECTS
    return is_method or (isinstance(ref, Bound) and ref.name in _TAKES_OBJECTS) or isinstance(ref, ModuleList)
