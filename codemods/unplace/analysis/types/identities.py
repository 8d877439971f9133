"""Recognises calls that give an object of the class that they were given, or a new one of a class that is seen.

def step(state, dt):
    state.pos += dt * state.vel
    return state                                what `state` was already

def predict(state):
    return State(state.pos * 2, state.vel)      a `State`

Both are told by the returns alone: the effect of the function depends on its arguments, which may be results of the
same function.
"""

from __future__ import annotations

import ast

from unplace.analysis.domain.refs import Bound, Class, Function, Instance
from unplace.analysis.domain.values import Value
from unplace.analysis.interpret.run import Analysis
from unplace.analysis.project.module import home
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.kinds import of_instance
from unplace.analysis.types.parameters import argument_for


def hands_back(program: Analysis, scope: Scope, name: str, source: ast.expr) -> bool:
    """Tell whether an expression calls a function with a name of the scope and is of that name's kind again."""
    if not isinstance(source, ast.Call):
        return False
    given = [a for a in (*source.args, *(k.value for k in source.keywords)) if isinstance(a, ast.Name) and a.id == name]
    callee = _callee(program, scope, source) if given else None
    returned = _returned(callee) if callee is not None else None
    return callee is not None and returned is not None and argument_for(callee, source, returned) in given


def new_object(program: Analysis, scope: Scope, source: ast.expr) -> Value | None:
    """Return the object that a call of a function gives which returns nothing but new objects of one class."""
    callee = _callee(program, scope, source) if isinstance(source, ast.Call) else None
    returns = _returns(callee) if callee is not None and not callee.suspends else []
    called = {last_name(value.func) if isinstance(value, ast.Call) else None for value in returns}
    if callee is None or len(called) != 1 or None in called:
        return None
    refs = {program.estimate(callee, value.func).ref for value in returns if isinstance(value, ast.Call)}
    of = refs.pop() if len(refs) == 1 else None
    return Value(of_instance(of), ref=Instance(of)) if isinstance(of, Class) and not of.is_tensor else None


def makes_new_objects(program: Analysis, of: Class) -> bool:
    """Tell whether each call of a class gives an object of its own, as far as the files show.

    class Settings:                                @singleton
        def __new__(cls): return cls.only          class Settings: ...
    """
    decorators = [program.estimate(of.scope.parent or of.scope, d).ref for d in of.node.decorator_list]
    kept = all(_returned(ref.scope) is not None for ref in decorators if isinstance(ref, Function))
    return kept and of.constructs_plainly


def _callee(program: Analysis, scope: Scope, call: ast.Call) -> Scope | None:
    ref = program.estimate(scope, call.func).ref
    if isinstance(ref, Bound) and isinstance(ref.receiver.ref, Instance):
        of = ref.receiver.ref
        ref = program.methods(of.of, ref.name, is_exact=of.is_exact).only
    elif isinstance(ref, Instance):  # `Normalize(mean, std)(x)`, `self.block(x)`
        called = "forward" if ref.of.is_module else "__call__"
        ref = program.methods(ref.of, called, is_exact=ref.is_exact).only
    return ref.scope if isinstance(ref, Function) and isinstance(ref.scope.node, ast.FunctionDef) else None


def _returns(scope: Scope) -> list[ast.expr | None]:
    return [node.value for node in scope.of(ast.Return)]


def _returned(scope: Scope) -> str | None:
    """Return the parameter that a function returns on every way out, itself or with some of its fields replaced."""
    values = [_replaced(value) for value in _returns(scope)]
    names = {value.id if isinstance(value, ast.Name) else None for value in values}
    name = names.pop() if len(names) == 1 else None
    is_given = any(argument.arg == name for argument in scope.parameters)
    return name if is_given and name not in home(scope).bindings(scope).sources else None


def _replaced(value: ast.expr | None) -> ast.expr | None:
    """Return the object whose fields an expression replaces, for `state._replace(h=h)` and `replace(state, h=h)`."""
    if not isinstance(value, ast.Call):
        return value
    if isinstance(value.func, ast.Attribute) and value.func.attr == "_replace":
        return value.func.value
    return value.args[0] if last_name(value.func) == "replace" and len(value.args) == 1 else value
