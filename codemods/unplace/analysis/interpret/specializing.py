"""Finds what a call fixes of the function that it runs: constants of parameters, and of attributes of the receiver.

class Block(nn.Module):
    def __init__(self, dim, act="relu", norm=None):
        super().__init__()
        self.act = act
        self.norm = norm(dim) if norm is not None else None

    def forward(self, x): ...           `Block(8).forward` knows that `self.norm` is None, and `self.act` "relu"

An attribute counts where nothing but the constructor of the class stores it, in whatever file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from unplace.analysis.domain.constants import (
    ABSENT,
    NOTHING,
    PRESENT,
    Constant,
    Fixed,
    Known,
    decided,
    literal,
    of_argument,
)
from unplace.analysis.domain.refs import GENERAL, Class, Function, Instance, Variant
from unplace.analysis.domain.values import Value
from unplace.analysis.interpret.arguments import Arguments
from unplace.analysis.interpret.run import Analysis, Run
from unplace.analysis.project.mentions import storing
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.bindings import bound_by, last_name
from unplace.analysis.syntax.classes import is_static
from unplace.analysis.syntax.constructors import own_constructor
from unplace.analysis.syntax.nodes import own_nodes, walk
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import default_of

_TESTS = (ast.If, ast.IfExp)
_FLAG = "bool"


def of_call(
    program: Analysis,
    function: Function,
    arguments: Arguments,
    receiver: Value | None,
    within: Variant = GENERAL,
) -> Variant:
    """Return the variant of a function that a call runs: constants that decide none of its tests fix nothing.

    `within` is the variant of the caller, which may hand its own constants on.
    """
    module, scope = home(function.scope), function.scope
    asked = _tested(module, scope)
    given = (
        {(name, c) for name, c in _given(scope, arguments, receiver, within.fixed) if name in asked} if asked else set()
    )
    of = receiver.ref if receiver is not None and isinstance(receiver.ref, Instance) else None
    fields = set(_fields(program, of).items()) if of is not None and of.given and function.owner is not None else set()
    if not given and not fields:
        return GENERAL
    deciding = _deciding(module, scope, frozenset(given | fields))
    found = fields | {(name, c) for name, c in given if c == ABSENT or name in deciding}
    return Variant(frozenset(found), of) if found else GENERAL


def with_flags(
    variant: Variant, function: Function, arguments: Arguments, receiver: Value | None, within: Variant
) -> Variant:
    """Return a variant with the flags alone, also those that the function doesn't test but may hand on."""
    fixed = (*variant.fixed, *_given(function.scope, arguments, receiver, within.fixed))
    flags = frozenset((name, constant) for name, constant in fixed if constant.type == _FLAG)
    return Variant(flags, variant.receiver) if flags else GENERAL


def outcome(run: Run, test: ast.expr) -> bool | None:
    """Return the outcome of a test in the variant that a run walks over, where what is fixed decides it."""
    return decided(test, _known_in(run.scope, dict(run.variant.fixed))) if run.variant.fixed else None


def of_constructor(cls: Class, arguments: Arguments) -> Fixed:
    """Return the constants that a call of a class passes to its own `__init__`, by parameter."""
    init = own_constructor(cls)
    return frozenset(_given(init, arguments, Value(0))) if init is not None else NOTHING


def _known_in(scope: Scope, fixed: Mapping[str, Constant]) -> Known:
    """Return what tells the constants in a function: literals, parameters that keep theirs, attributes of `self`."""

    def known(node: ast.expr) -> Constant | None:
        if isinstance(node, ast.Name):
            return fixed.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_own = bool(scope.parameters) and node.value.id == scope.parameters[0].arg
            return fixed.get(f"self.{node.attr}") if is_own else None
        return literal(node)

    return known


def _given(
    scope: Scope, arguments: Arguments, receiver: Value | None, fixed: Fixed = NOTHING
) -> Iterator[tuple[str, Constant]]:
    """Iterate over the parameters that keep a constant that the call or the signature gives them."""
    node = scope.node
    spread = arguments.spread
    if spread is None or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    signature = node.args
    names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    defaults = ((argument.arg, default_of(signature, argument)) for argument in scope.parameters)
    given = {name: literal(default) for name, default in defaults if default is not None}
    start = 1 if receiver is not None and not is_static(node) else 0
    pairs = zip(arguments.nodes, arguments.positional, strict=True)
    own = dict(fixed)

    def constant_of(node: ast.expr, value: Value) -> Constant | None:
        return own.get(node.id) if isinstance(node, ast.Name) and node.id in own else of_argument(node, value)

    given.update((n, constant_of(*pair)) for n, pair in zip(names[start:], pairs, strict=False))
    keywords = arguments.keywords.items()
    given.update((n, constant_of(arguments.keyword_nodes[n], value)) for n, value in keywords)
    rebound = _bound_inside(home(scope), scope)
    for name, constant in given.items():
        if constant is not None and name not in rebound | spread and name not in scope.volatile:
            yield name, constant


@once
def _bound_inside(module: ModuleIndex, scope: Scope) -> frozenset[str]:
    """Return the names that the body of a function of a module binds."""
    return frozenset(bound_by(own_nodes(scope.node)))


@once
def _tested(module: ModuleIndex, scope: Scope) -> frozenset[str]:
    """Return the parameters and the attributes of `self` that tests of a function of a module ask for."""
    return frozenset().union(*_tests(module, scope).values())


@once
def _tests(module: ModuleIndex, scope: Scope) -> Mapping[ast.expr, frozenset[str]]:
    """Return the tests of a function of a module, with the parameters and attributes of `self` that each asks for."""
    parameters = [parameter.arg for parameter in scope.parameters]
    tests = [node.test for node in own_nodes(scope.node) if isinstance(node, _TESTS)] if parameters else []
    return {test: frozenset(_asked_by(test, parameters)) for test in tests}


def _asked_by(test: ast.expr, parameters: Sequence[str]) -> Iterator[str]:
    for part in walk(test):
        if isinstance(part, ast.Name) and part.id in parameters:
            yield part.id
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == parameters[0]:
            yield f"self.{part.attr}"


@once
def _deciding(module: ModuleIndex, scope: Scope, fixed: Fixed) -> frozenset[str]:
    """Return what is asked for by those tests of a function that constants decide."""
    known = _known_in(scope, dict(fixed))
    decisions = (names for test, names in _tests(module, scope).items() if decided(test, known) is not None)
    return frozenset().union(*decisions)


def _tested_in(cls: Class) -> frozenset[str]:
    """Return the attributes of `self` that tests in the methods of a class and of its bases ask for."""
    own = (_methods_test(home(base.scope), base) for base in cls.linearized())
    return frozenset().union(*own)


@once
def _methods_test(module: ModuleIndex, cls: Class) -> frozenset[str]:
    methods = (scope for scope in cls.scope.inner if not scope.is_class)
    paths = frozenset().union(*(_tested(module, scope) for scope in methods))
    return frozenset(path for path in paths if path.startswith("self."))


# -- attributes ------------------------------------------------------------------------------------------------------


def _fields(program: Analysis, of: Instance) -> Mapping[str, Constant]:
    """Return the attributes of an object that its tests ask for and only its constructor stores, as constants."""
    init = own_constructor(of.of)
    if init is None:
        return {}
    stored, asked = _constructed(home(init), init, of.given), _tested_in(of.of)
    names = (name for name in stored if f"self.{name}" in asked)
    return {f"self.{name}": stored[name] for name in names if _is_fixed(program.module, of.of, init, name)}


@once
def _constructed(module: ModuleIndex, init: Scope, given: Fixed) -> Mapping[str, Constant]:
    """Return the constants that a constructor stores in attributes, given those of its parameters."""
    node = init.node
    if not isinstance(node, ast.FunctionDef) or not init.parameters or node.decorator_list:
        return {}
    construction = _Construction(init, dict(given))
    construction.block(node.body)
    return {name: constant for name, constant in construction.fields.items() if constant is not None}


def _is_fixed(reader: ModuleIndex, cls: Class, init: Scope, name: str) -> bool:
    """Tell whether nothing but a constructor stores an attribute of the objects of a class."""
    family, own = cls.linearized(), home(cls.scope)
    tables = ("augmented", "added", "extended", "special", "registered")
    if any(base.patterns or any(name in getattr(base, table) for table in tables) for base in family):
        return False
    stores = [s for s in own.stores_of(name) if s.is_own and not s.of_element and _is_in(s.scope, cls)]
    if any(store.scope is not init for store in stores) or len(stores) != len(cls.assigned.get(name, ())):
        return False
    if any(name in base.assigned for base in family if base is not cls):
        return False
    others = own.others_with(name, storing(name))
    return not any(module.stores_in_others(name) for module in (own, reader, *others))


def _is_in(scope: Scope, cls: Class) -> bool:
    """Tell whether a scope is in the body of a class."""
    outer: Scope | None = scope
    while outer is not None and outer is not cls.scope:
        outer = outer.parent
    return outer is not None


class _Construction:
    """A walk over a constructor that follows constants: what is stored under a test that isn't decided is unknown."""

    def __init__(self, init: Scope, given: dict[str, Constant]) -> None:
        self._init = init
        self._own = init.parameters[0].arg
        self._names: dict[str, Constant | None] = dict(given)
        self.fields: dict[str, Constant | None] = {}
        self._may_have_left = False

    def block(self, body: Iterable[ast.stmt]) -> bool:
        """Follow statements; return True where they leave the constructor."""
        for statement in body:
            if isinstance(statement, ast.Return):
                return True
            if isinstance(statement, ast.If):
                self._forget(statement.test)
                outcome = decided(statement.test, self._known)
                if outcome is None:
                    self._forget(statement)
                elif self.block(statement.body if outcome else statement.orelse):
                    return True
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    self._store(target, statement.value)
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self._store(statement.target, statement.value)
            else:
                self._forget(statement)
                if any(isinstance(part, ast.Attribute) and part.attr == "__dict__" for part in walk(statement)):
                    self.fields.clear()
        return False

    def _store(self, target: ast.expr, value: ast.expr) -> None:
        self._forget(value)
        if isinstance(target, ast.Name):
            self._names[target.id] = self._known(value)
        elif isinstance(target, ast.Attribute) and self._is_own(target):
            self.fields[target.attr] = None if self._may_have_left else self._known(value)
        else:
            self._forget(target)

    def _forget(self, node: ast.AST) -> None:
        """Drop what code may bind."""
        self._names.update(dict.fromkeys(bound_by(walk(node))))
        for part in walk(node):
            self._may_have_left |= isinstance(part, ast.Return)
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load) and self._is_own(part):
                self.fields[part.attr] = None

    def _is_own(self, node: ast.Attribute) -> bool:
        return isinstance(node.value, ast.Name) and node.value.id == self._own

    def _known(self, node: ast.expr) -> Constant | None:
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute) and self._is_own(node):
            return self.fields.get(node.attr)
        if isinstance(node, ast.IfExp):
            outcome = decided(node.test, self._known)
            return self._known(node.body if outcome else node.orelse) if outcome is not None else None
        if isinstance(node, ast.Call):
            return PRESENT if self._makes_object(node.func) else None
        return literal(node)

    def _makes_object(self, callee: ast.expr) -> bool:
        """Tell whether a call makes an object: that of a class of torch, or of the file."""
        module = home(self._init)
        qualified = module.qualified(self._init, callee) or ""
        if qualified.startswith("torch.nn."):
            return True
        is_global = isinstance(callee, ast.Name) and module.scopes.owner(self._init, callee.id) is module.scopes.module
        return is_global and last_name(callee) in {cls.node.name for cls in module.classes.values()}
