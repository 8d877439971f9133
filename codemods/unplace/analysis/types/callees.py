"""Signatures of callees, as kinds: what torch's functions and layers, NumPy's and Python's take and return."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from unplace import torchapi
from unplace.analysis.domain.refs import Class
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    DICT,
    LIST,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
)
from unplace.analysis.project.module import ModuleIndex, home
from unplace.analysis.syntax.classes import is_class_method, is_static
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.own_methods import is_of_posing_class
from unplace.analysis.types.relations import ANYTHING, CALLED, ITERABLE
from unplace.torchapi import Operator, Result, members, modes

RESULTS = {
    Result.TENSOR: TENSOR,
    Result.TENSORS: TUPLE | LIST | TENSOR,
    Result.NUMBER: NUMBER,
    Result.BOOL: NUMBER,
    Result.SHAPE: SHAPE,
    Result.OTHER: ANYTHING & ~TENSOR,
    Result.UNKNOWN: ANYTHING,
}
"""The kinds of the results of torch's operators."""

_WRITTEN = (("input",), ("tensor",))
"""The first parameter of torch's functions that write one tensor, and return it: `torch.relu_`, `nn.init.zeros_`."""

_TESTS = frozenset(["callable", "hasattr", "isinstance", "issubclass", "type"])
_NUMERIC = NUMBER | TENSOR | ARRAY


@dataclass(frozen=True, slots=True)
class Signature:
    """The kinds that a callee takes and returns.

    `parameters` are the names of the positional parameters of a torch function. `takes_several` tells that the first
    argument is a sequence of tensors. `is_test` marks a test of the kind of its argument, which may then be of any.
    """

    result: int = ANYTHING
    first: int = ANYTHING
    others: int = ANYTHING
    usual: int = ANYTHING
    parameters: tuple[str, ...] = ()
    operator: str = ""
    takes_several: bool = False
    is_test: bool = False

    def taken(self, index: int) -> int:
        """Return the kinds that the callee takes as positional argument."""
        if index == 0:
            return self.first
        return self.taken_as(self.parameters[index]) if index < len(self.parameters) else self.others

    def taken_as(self, name: str | None) -> int:
        """Return the kinds that a torch function takes as a named argument."""
        is_tensor = name in members.TENSOR_PARAMETERS or (name == "other" and self.operator in members.OF_TENSORS)
        return TENSOR if self.operator and is_tensor and self.operator != "lerp" else ANYTHING

    def usually(self, index: int) -> int:
        """Return the kinds of the arguments that people pass."""
        return usual_argument(self.operator, self.parameters, index) & self.usual


_BUILTINS = {
    "abs": Signature(_NUMERIC | OTHER, _NUMERIC | OTHER),
    "bool": Signature(NUMBER),
    "dict": Signature(DICT),
    "enumerate": Signature(OTHER, ITERABLE),
    "filter": Signature(OTHER, CALLED),
    "float": Signature(NUMBER),
    "id": Signature(NUMBER),
    "int": Signature(NUMBER),
    "iter": Signature(OTHER, ITERABLE),
    "len": Signature(NUMBER, ITERABLE),
    "list": Signature(LIST, ITERABLE),
    "map": Signature(OTHER, CALLED),
    "range": Signature(OTHER, NUMBER | TENSOR | ARRAY | OTHER, usual=NUMBER | OTHER),
    "reversed": Signature(OTHER, ITERABLE),
    "set": Signature(OTHER, ITERABLE),
    "sorted": Signature(LIST, ITERABLE),
    "str": Signature(TEXT),
    "super": Signature(OTHER),
    "sum": Signature(ANYTHING, ITERABLE),
    "tuple": Signature(TUPLE, ITERABLE),
    "zip": Signature(OTHER, ITERABLE),
}
"""The functions of Python. What they return that isn't listed here may be anything."""


def usual_argument(operator: str, parameters: tuple[str, ...], index: int) -> int:
    """Return the kinds that people pass as positional argument to an operator; its last parameter takes the rest."""
    name = parameters[min(index, len(parameters) - 1)] if parameters and operator not in members.COMPARING else ""
    return NUMBER | SHAPE | TUPLE | LIST if name in members.SIZES else ANYTHING


class Callees:
    """Finds the signatures of the callees in one scope."""

    def __init__(self, module: ModuleIndex, scope: Scope) -> None:
        """Prepare to look callees up in a scope."""
        self._module = module
        self._scope = scope
        self._owner = module.class_of(scope)
        is_of_object = self._owner is not None and not is_static(scope.node) and not is_class_method(scope.node)
        self._me = scope.parameters[0].arg if is_of_object and scope.parameters else None

    def qualified(self, node: ast.expr) -> str | None:
        """Return the qualified name of an imported or built-in function; None for any other expression."""
        return self._module.qualified(self._scope, node, with_builtins=True)

    def signature(self, node: ast.Call) -> Signature | None:
        """Return the signature of the callee of a call; None where it isn't known, or a method of an object."""
        qualified = self.qualified(node.func)
        if qualified is None:
            return self._layer(node.func)
        if qualified.startswith("builtins."):
            name = qualified.removeprefix("builtins.")
            return Signature(is_test=True) if name in _TESTS else _BUILTINS.get(name, Signature())
        if qualified in modes.KIND_TESTS:
            return Signature(is_test=True)
        if qualified.startswith("numpy."):
            return Signature(ARRAY | NUMBER)
        if qualified.startswith("math."):
            return Signature(NUMBER, usual=NUMBER, first=_NUMERIC | LIST | TUPLE | OTHER)
        operator = torchapi.function(qualified)
        if operator is not None:
            poses = is_of_posing_class(self._module, operator.short)
            return Signature() if poses else of_operator(operator, qualified)
        writing = torchapi.inplace_function(qualified)
        if writing is not None and writing.parameters[:1] in _WRITTEN:
            poses = is_of_posing_class(self._module, qualified.rpartition(".")[2])
            return Signature() if poses else Signature(TENSOR, TENSOR)
        layer = torchapi.module(qualified)
        return Signature(CALLABLE | OTHER if layer is None and qualified[:1].isupper() else ANYTHING)

    def is_of_part(self, node: ast.AST) -> bool:
        """Tell whether a node calls what a module keeps, unknown layers too: `self.act(x)`, `self.convs[i](x)`.

        What such a call returns is a tensor where it takes part in arithmetic, as far as people write such code.
        """
        called = node.func if isinstance(node, ast.Call) else None
        called = called.value if isinstance(called, ast.Subscript) else called
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return False
        owner = self._owner if called.value.id == self._me else None
        if owner is None or not owner.is_module:
            return False
        return any(called.attr in cls.assigned for cls in owner.linearized())

    def is_result_of_part(self, name: str) -> bool:
        """Tell whether a name of the scope may hold what such a call returns."""
        return any(map(self.is_of_part, self._module.bindings(self._scope).sources.get(name, ())))

    def _layer(self, node: ast.expr) -> Signature | None:
        """Return the signature of a layer that a class keeps in an attribute: `self.conv`."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != self._me:
            return None
        made = _made(self._owner, node.attr) if self._owner is not None else []
        layers = [torchapi.module(name) for name in made if torchapi.takes_tensor(name)]
        if not made or len(layers) < len(made):
            return None
        is_tensor = all(layer is not None and layer.result is Result.TENSOR for layer in layers)
        return Signature(TENSOR if is_tensor else ANYTHING, TENSOR)


def _made(owner: Class, name: str) -> list[str]:
    """Return the qualified names of the classes whose instances a class stores in an attribute; empty if unknown."""
    found: list[str] = []
    for cls in owner.linearized():
        for scope, source in cls.assigned.get(name, ()):
            made = home(scope).qualified(scope, source.func) if isinstance(source, ast.Call) else None
            if made is None:
                return []
            found.append(made)
    return found


def of_operator(operator: Operator, qualified: str) -> Signature:
    """Return the signature of a function of torch."""
    first = operator.parameters[0] if operator.parameters else ""
    result = ANYTHING if operator.result_when else RESULTS[operator.result]
    return Signature(
        result,
        TENSOR if torchapi.takes_tensor(qualified) else ANYTHING,
        parameters=operator.parameters,
        operator=operator.short,
        takes_several=first == "tensors",
    )
