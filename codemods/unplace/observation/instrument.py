"""Instruments modules: has every operation that is written like an in-place one tell the recorder what it works on.

    y[i] += f(z)

    __unplace__(7, "target", y)[i] += __unplace__(7, "end", f(z))

Each part is evaluated once, when it was before, and the recorder returns it unchanged. Lines and columns stay.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from unplace.observation.facts import Key
from unplace.observation.keys import ENTRY, called_by_name, owned

NAME = "__unplace__"
"""The built-in name under which instrumented code finds the recorder."""


class Part(str, Enum):
    """A part of an operation: the written tensor, what holds it, an operand, the last of these, or a module made.

    The functions of a file with an operation, and all constructors, tell that they are entered.
    The holder is `a` of `a.y` and of `a.data`; the key is `i` of `y[i]`, where `y` may be a dictionary of tensors.
    """

    TARGET = "target"
    HOLDER = "holder"
    KEY = "key"
    OPERAND = "operand"
    END = "end"
    MADE = "made"
    ENTER = "enter"


class Shape(str, Enum):
    """The shape of an operation: how its target is found from its parts."""

    NAME = "name"  # `y += k`
    ATTRIBUTE = "attribute"  # `a.y += k`
    ITEM = "item"  # `y[i] = k`
    CALL = "call"  # `y.add_(k)`, or `F.relu_(y)`
    OUT = "out"  # `torch.exp(x, out=y)`
    DATA = "data"  # `y.data = k`
    FIRST = "first"  # `F.relu(y, inplace=True)`
    MODULE = "module"  # `nn.ReLU(inplace=True)`
    FUNCTION = "function"  # `def step(self, y):`, around an operation


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation in a file: its key, its shape, the target as the source has it, and the name that it goes by."""

    file: str
    key: Key
    shape: Shape
    target: str
    name: str


Register = Callable[[str, Key, Shape, str, str], int]
"""Takes an operation and returns its number."""


def instrumented(text: str, file: str, register: Register) -> ast.Module:
    """Return the tree of a module with its operations instrumented; raise `SyntaxError` where it can't be parsed."""
    tree = ast.parse(text)
    numbers: list[int] = []

    def registered(*operation: Any) -> int:
        numbers.append(register(*operation))
        return numbers[-1]

    for each in list(owned(tree, text)):
        _Instrument(file, (each.function, each.place), registered).node(each.node)
    has_operations = bool(numbers)
    for function, node in called_by_name(tree, text):
        if not has_operations and not function.name.endswith(".__init__"):
            continue
        _tell_entry(node, register(file, (function, ENTRY), Shape.FUNCTION, "", function.name))
    return tree


def _tell_entry(function: ast.FunctionDef, number: int) -> None:
    """Have a function tell that it is entered, before anything but its docstring."""
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    told = ast.copy_location(ast.Expr(_told(number, Part.ENTER, ast.copy_location(ast.Constant(None), first))), first)
    function.body.insert(int(is_docstring and len(function.body) > 1), told)


@dataclass(frozen=True, slots=True)
class _Instrument:
    file: str
    key: Key
    register: Register

    def node(self, node: ast.AST) -> None:
        """Instrument a node if it is written like an in-place operation."""
        if isinstance(node, ast.AugAssign):
            self._augmented(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._stores(target, node)
        elif isinstance(node, ast.Call):
            self._call(node)

    def _number(self, shape: Shape, target: ast.expr, name: str) -> int:
        return self.register(self.file, self.key, shape, ast.unparse(target), name)

    def _augmented(self, node: ast.AugAssign) -> None:
        target, name = node.target, type(node.op).__name__
        if isinstance(target, ast.Name):
            number = self._number(Shape.NAME, target, name)
        elif isinstance(target, ast.Attribute):
            number = self._number(Shape.ATTRIBUTE, target, name)
            target.value = _told(number, Part.HOLDER, target.value)
        elif isinstance(target, ast.Subscript):
            number = self._number(Shape.ITEM, target.value, name)
            _tell_owner(target.value, number)
            target.value = _told(number, Part.TARGET, target.value)
            if not isinstance(target.slice, ast.Slice | ast.Tuple):
                target.slice = _told(number, Part.KEY, target.slice)
        node.value = _told(number, Part.END, node.value)

    def _stores(self, target: ast.expr, node: ast.Assign) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._stores(element, node)
        elif isinstance(target, ast.Starred):
            self._stores(target.value, node)
        elif isinstance(target, ast.Subscript):
            number = self._number(Shape.ITEM, target.value, "setitem")
            if target is node.targets[0]:
                node.value = _told(number, Part.OPERAND, node.value)
            _tell_owner(target.value, number)
            target.value = _told(number, Part.END, target.value)
        elif isinstance(target, ast.Attribute) and target.attr == "data":
            number = self._number(Shape.DATA, target.value, "data")
            if target is node.targets[0]:
                node.value = _told(number, Part.OPERAND, node.value)
            target.value = _told(number, Part.END, target.value)
        elif isinstance(target, ast.Attribute) and target.attr == "inplace" and _is_true(node.value):
            target.value = _told(self._number(Shape.MODULE, target, "inplace"), Part.MADE, target.value)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        out = next((word for word in node.keywords if word.arg == "out"), None)
        if out is not None and not isinstance(out.value, ast.Tuple):
            number = self._number(Shape.OUT, out.value, "out")
            out.value = _told(number, Part.END, out.value)
        elif isinstance(function, ast.Attribute) and _is_in_place(function.attr):
            number = self._number(Shape.CALL, function.value, function.attr)
            _tell_owner(function.value, number)
            function.value = _told(number, Part.TARGET if _operands(node) else Part.END, function.value)
            _tell_operands(node, number)
        elif any(word.arg == "inplace" for word in node.keywords):
            if node.args and not isinstance(node.args[0], ast.Starred):
                number = self._number(Shape.FIRST, node.args[0], "inplace")
                node.args[0] = _told(number, Part.END, node.args[0])
            made = ast.copy_location(ast.Call(node.func, node.args, node.keywords), node)
            told = _told(self._number(Shape.MODULE, made, "inplace"), Part.MADE, made)
            assert isinstance(told, ast.Call)
            node.func, node.args, node.keywords = told.func, told.args, told.keywords


def _tell_owner(target: ast.expr, number: int) -> None:
    """Have `x` of a target `x.data` told."""
    if isinstance(target, ast.Attribute) and target.attr == "data":
        target.value = _told(number, Part.HOLDER, target.value)


def _tell_operands(node: ast.Call, number: int) -> None:
    """Have the arguments of a call told, the last one as the end."""
    arguments = _operands(node)
    for holder, index in arguments:
        part = Part.END if (holder, index) == arguments[-1] else Part.OPERAND
        if isinstance(holder, ast.keyword):
            holder.value = _told(number, part, holder.value)
        else:
            holder.args[index] = _told(number, part, holder.args[index])


def _operands(node: ast.Call) -> list[tuple[ast.Call | ast.keyword, int]]:
    """Return the places of the plain arguments of a call, in the order of evaluation."""
    found: list[tuple[ast.Call | ast.keyword, int]] = []
    found += [(node, index) for index, value in enumerate(node.args) if not isinstance(value, ast.Starred)]
    found += [(word, 0) for word in node.keywords if word.arg is not None]
    return found


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_") and not name.endswith("__")


def _told(number: int, part: Part, value: ast.expr) -> ast.expr:
    """Return an expression that tells the recorder the value of another one, and has that value."""
    arguments: list[ast.expr] = [ast.Constant(number), ast.Constant(part.value), value]
    call = ast.Call(ast.Name(NAME, ast.Load()), arguments, [])
    for node in (call, call.func, *arguments[:2]):
        ast.copy_location(node, value)
    return call
