"""Flags that have modules and functions work in place, wherever the literal True of a flag stands.

act = nn.ReLU(inplace=True)                       in the call itself
act = getattr(nn, name)(inplace=True)             of a class that isn't known by name
make = partial(nn.ReLU, inplace=True)             in what the call is made from
m.inplace = True                                  after the call
def act(name, inplace=True): nn.ReLU(inplace=inplace)   in a parameter: its default, or what calls pass for it
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import cast

from unplace import torchapi
from unplace.analysis.domain.refs import Bound, Class, Function, Instance, Named, TorchModule, alternatives
from unplace.analysis.project.calling import calls_of
from unplace.analysis.project.exports import imports_torch
from unplace.analysis.project.module import ModuleIndex, once
from unplace.analysis.project.program import Program
from unplace.analysis.project.switches import switches
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for, default_for
from unplace.diagnostics.forms import PARTIAL, is_true
from unplace.torchapi import modules

_FLAG = "inplace"
_DICT = "builtins.dict"


class Makes(Enum):
    """What the code with a flag makes."""

    MODULE = "module"  # `nn.ReLU(inplace=True)`
    LATER = "later"  # `partial(F.relu, inplace=True)`, or a module that was made before: `m.inplace = True`
    RESULT = "result"  # `F.relu(x, inplace=inplace)`


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: `node` is the code that is told to work in place, which is what reports name.

    `qualified` is the class or function of torch that gets the flag; None where that isn't known. `literals` are the
    `True`s that stand elsewhere than among the arguments of `node`, from where `node` has the flag by a parameter or
    attribute, and `other_use` is code that asks for that parameter or attribute for another purpose. `asked_by` is that
    parameter where no such literal is seen, so that only callers of the function ask for the operation.
    """

    scope: Scope
    node: ast.Call | ast.Assign | ast.Dict
    qualified: str | None
    literals: tuple[ast.expr, ...] = ()
    makes: Makes = Makes.MODULE
    asked_by: str = ""
    other_use: ast.Name | ast.Attribute | None = None

    @property
    def is_of_class(self) -> bool:
        """Tell whether a class gets the flag for all modules made of it: `partial(nn.ReLU, inplace=True)`."""
        return self.makes is Makes.LATER and torchapi.module(self.qualified or "") is not None

    @property
    def is_of_function(self) -> bool:
        """Tell whether a function gets the flag: `F.relu(x, inplace=inplace)`, `partial(F.relu, inplace=True)`."""
        return self.makes is Makes.RESULT or torchapi.inplace_flag(self.qualified or "") is not None

    @property
    def is_dropped(self) -> bool:
        """Tell whether the flag is an argument of a constructor's own call, which works without it."""
        return isinstance(self.node, ast.Call) and not self.literals


def flags(program: Program) -> list[Flag]:
    """Return all flags of a module, found once for each program."""
    known = cast("list[Flag] | None", program.answers.get("flags"))
    if known is None:
        known = program.answers["flags"] = _found(program)
    return known


def _found(program: Program) -> list[Flag]:
    found = [flag for node, scope in program.module.scopes.flagged if (flag := _literal(program, scope, node))]
    if imports_torch(program.module):
        found += [Flag(scope, node, None, (value,), Makes.LATER) for scope, node, value in switches(program.module)]
        found += [Flag(scope, node, None, (value,), Makes.LATER) for scope, node, value in _listed(program.module)]
        found += _handed(program)
    return found


@once
def _listed(module: ModuleIndex) -> list[tuple[Scope, ast.Dict, ast.expr]]:
    """Return the dictionaries of arguments that have the flag: `{"inplace": True}`."""
    return [
        (scope, node, value)
        for scope in module.scopes.by_node.values()
        for node in scope.of(ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == _FLAG and is_true(value)
    ]


def _literal(program: Program, scope: Scope, node: ast.Call) -> Flag | None:
    """Return the flag of a call with a literal True; None where that is something else."""
    written = program.module.qualified(scope, node.func)
    qualified = written or _class_made(program, scope, node)
    module = torchapi.module(qualified) if qualified is not None else None
    if module is not None:
        return Flag(scope, node, qualified) if is_true(_given(node, module.inplace)) else None
    value = _given(node, None)
    if not is_true(value) or value is None:
        return None
    if written is None and _gets_class(program, scope, node.func):
        return Flag(scope, node, None)
    if written == PARTIAL and node.args:
        of = program.module.qualified(scope, node.args[0])
        return Flag(scope, node, of, (value,), Makes.LATER) if of is not None and _takes_flag(of) else None
    if written is not None or not imports_torch(program.module) or not _may_be_called_so(node.func):
        return None
    known = [ref for ref in alternatives(program.estimate(scope, node.func).ref) if ref != Named(_DICT)]
    return Flag(scope, node, None, (value,), _made_by(node, None)) if not known else None


def _class_made(program: Program, scope: Scope, node: ast.Call) -> str | None:
    """Return a class of torch of which a call through another name makes a module: `act_layer(inplace=True)`."""
    if not any(keyword.arg == "inplace" for keyword in node.keywords):
        return None
    made = alternatives(program.estimate(scope, node).ref)
    return next((ref.qualified for ref in made if isinstance(ref, TorchModule) and ref.call is node), None)


def _gets_class(program: Program, scope: Scope, node: ast.expr) -> bool:
    """Tell whether an expression takes a class of torch's modules by a name: `getattr(nn, name)`."""
    if not isinstance(node, ast.Call) or not node.args or program.module.scopes.owner(scope, "getattr") is not None:
        return False
    is_getattr = isinstance(node.func, ast.Name) and node.func.id == "getattr"
    return is_getattr and program.module.qualified(scope, node.args[0]) in modules.NAMESPACES


def _made_by(node: ast.Call, qualified: str | None) -> Makes:
    """Return what a call makes; a call of something unknown with other arguments, too, is taken for a function's."""
    if qualified is not None:
        return Makes.MODULE if torchapi.module(qualified) is not None else Makes.RESULT
    if isinstance(node.func, ast.Name) and node.func.id == "dict":
        return Makes.LATER
    return Makes.RESULT if node.args else Makes.MODULE


def _takes_flag(qualified: str) -> bool:
    """Tell whether a class or function of torch has an argument `inplace`."""
    module = torchapi.module(qualified)
    return torchapi.inplace_flag(qualified) is not None or (module is not None and module.inplace is not None)


def _given(node: ast.Call, position: int | None) -> ast.expr | None:
    """Return what a call passes for `inplace`, by keyword or at `position`."""
    named = next((k.value for k in node.keywords if k.arg == "inplace"), None)
    is_positional = named is None and position is not None and position < len(node.args)
    return node.args[position] if is_positional and position is not None else named


def has_flag(node: ast.Call, position: int | None) -> bool:
    """Tell whether a call passes True for `inplace`, by keyword or at `position`; None: there is no such argument."""
    return position is not None and is_true(_given(node, position))


# -- flags that a parameter hands on ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Handed:
    """A call that passes a name, or an attribute of the object, for `inplace`."""

    scope: Scope
    node: ast.Call
    value: ast.Name | ast.Attribute
    qualified: str | None

    @property
    def makes(self) -> Makes:
        """What the call makes."""
        return _made_by(self.node, self.qualified)


def _handed(program: Program) -> Iterator[Flag]:
    """Iterate over the flags that have their value from a parameter: `inplace=inplace`, `inplace=self.inplace`."""
    calls = _handing(program.module)
    origins = {call: _origin(program.module, call) for call in calls}
    given = {call.value for call in calls} | {origin[1] for origin in origins.values() if origin is not None}
    for call, origin in origins.items():
        if _is_own(program, call):
            continue
        literals = tuple(_trues(program, origin[0], origin[1].id)) if origin is not None else ()
        if origin is None or not literals:
            yield Flag(call.scope, call.node, call.qualified, (), call.makes, ast.unparse(call.value))
            continue
        scope, source, reads = origin
        uses: list[ast.Name | ast.Attribute] = [*reads, *_mentions(scope, source.id)]
        other = next((use for use in uses if use not in given), None)
        yield Flag(call.scope, call.node, call.qualified, literals, call.makes, "", other)


@once
def _handing(module: ModuleIndex) -> list[_Handed]:
    """Return the calls that pass a name for `inplace`."""
    found: list[_Handed] = []
    for scope, node in _calls_with_flag(module):
        qualified = module.qualified(scope, node.func)
        made = torchapi.module(qualified) if qualified is not None else None
        position = made.inplace if made is not None else torchapi.inplace_flag(qualified or "")
        value = _given(node, position)
        is_known = position is not None or (qualified is None and _may_be_called_so(node.func))
        if is_known and isinstance(value, ast.Name | ast.Attribute):
            found.append(_Handed(scope, node, value, qualified))
    return found


def _calls_with_flag(module: ModuleIndex) -> Iterator[tuple[Scope, ast.Call]]:
    """Iterate over the calls with a keyword `inplace`, or of what has such a parameter, in the order of the source."""
    taking = torchapi.flag_names()
    imported = {name for name, target in module.imports.names.items() if target.rpartition(".")[2] in taking}
    named = taking | imported
    for scope in module.scopes.by_node.values():
        for node in scope.of(ast.Call):
            has_keyword = bool(node.keywords) and any(keyword.arg == _FLAG for keyword in node.keywords)
            if has_keyword or last_name(node.func) in named:
                yield scope, node


def _may_be_called_so(callee: ast.expr) -> bool:
    """Tell whether something unknown may work on tensors: `act(...)` and `self.act(...)`, but not `df.drop(...)`."""
    if isinstance(callee, ast.Attribute):
        holder = callee.value
        is_super = isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "super"
        return is_super or (isinstance(holder, ast.Name) and holder.id == "self")
    return isinstance(callee, ast.Call | ast.Name | ast.Subscript)


def _mentions(scope: Scope, name: str) -> Iterator[ast.Name]:
    """Iterate over the places that mention a parameter, in the function and in those inside it."""
    yield from (node for node in scope.names if node.id == name)
    for inner in scope.inner if name in scope.captured else ():
        yield from _mentions(inner, name)


def _origin(module: ModuleIndex, call: _Handed) -> tuple[Scope, ast.Name, list[ast.Attribute]] | None:
    """Return the function of the parameter that is passed, a read of it, and the reads of the attribute that has it."""
    if isinstance(call.value, ast.Name):
        return call.scope, call.value, []
    owner = module.class_of(call.scope)
    assigned = owner.assigned.get(_FLAG, ()) if owner is not None and call.value.attr == _FLAG else ()
    if owner is None or len(assigned) != 1:
        return None
    ((maker, source),) = assigned
    nodes = [node for method in owner.scope.inner for node in method.of(ast.Attribute)]
    reads = [node for node in nodes if node.attr == _FLAG and isinstance(node.ctx, ast.Load)]
    return (maker, source, reads) if isinstance(source, ast.Name) and module.owns(maker) else None


def _is_own(program: Program, call: _Handed) -> bool:
    """Tell whether the callee is a function or class of the run, which hands the flag on itself."""
    return call.qualified is None and _is_of_run(program, call.scope, call.node.func)


def _is_of_run(program: Program, scope: Scope, callee: ast.expr) -> bool:
    """Tell whether a callee is a function, class or object of the run."""
    refs = alternatives(program.estimate(scope, callee).ref)
    return any(isinstance(ref, Bound | Class | Function | Instance) for ref in refs)


def _trues(program: Program, scope: Scope, name: str, seen: frozenset[Scope] = frozenset()) -> Iterator[ast.expr]:
    """Iterate over the literal Trues that a parameter may be: its default, and what calls in the file pass."""
    is_function = isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef) and scope not in seen
    is_parameter = name in (parameter.arg for parameter in scope.parameters)
    if not is_function or not is_parameter or name in program.module.bindings(scope).sources:
        return
    found = [(scope.parent, default_for(scope, name))]
    found += [(caller, argument_for(scope, call, name)) for caller, call in calls_of(program, scope)]
    for where, passed in found:
        if isinstance(passed, ast.Name) and where is not None:
            yield from _trues(program, where, passed.id, seen | {scope})
        elif passed is not None and is_true(passed):
            yield passed


def grouped(found: list[Flag]) -> list[list[Flag]]:
    """Group flags that get their True from the same literals, which can only be cleared for all of them."""
    groups: list[list[Flag]] = []
    for flag in found:
        meeting = [g for g in groups if any(literal in other.literals for other in g for literal in flag.literals)]
        groups = [*(g for g in groups if g not in meeting), [*(f for g in meeting for f in g), flag]]
    return groups
