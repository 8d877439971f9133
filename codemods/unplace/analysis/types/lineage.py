"""The sources of a tensor's dtype, found after the fact by a walk back from a value over what made it.

In correct code, two tensors can differ in dtype if their dtypes have different sources: under autocast, a convolution
gives bfloat16 while a bias of the class stays float32. Only judgements about such a mix ask for the sources.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Flag

from unplace import torchapi
from unplace.analysis.domain.refs import Bound, Function, Instance, TorchModule
from unplace.analysis.domain.values import CONTAINER, DISCRETE, TENSOR, UNKNOWN, Obj, Origin, Value
from unplace.analysis.effects import result_types
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.calling import function_of
from unplace.torchapi import autocast, results

_DEEPEST = 4


class Source(Flag):
    """The sources that decided a dtype; none if they can't be told."""

    NOTHING = 0
    LOWERED = 1  # an operation that autocast runs in its low precision
    RAISED = 2  # an operation that autocast runs in float32
    HELD = 4  # a parameter, a buffer, a tensor attribute of the object or of the module
    MADE = 8  # a constructor, or a cast to a dtype that torch defines
    CAST = 16  # a constructor or a cast that is given a dtype by a variable
    GIVEN = 32  # an argument of the function
    SUMMED = 64  # an operation that makes int64 of narrower integers


def of(run: Run, value: Value) -> Source:
    """Return the sources of the dtype of a value; only asked when the walk is done."""
    question = of, value.objs, value.kinds, value.dtype
    found: Source | None = run.answers.get(question)
    if found is None:
        found = run.answers[question] = _Walk(run).value(value)
    return found


@dataclass(slots=True)
class _Walk:
    run: Run
    depth: int = 0
    _objs: list[Obj] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)

    def value(self, value: Value) -> Source:
        if value.dtype in DISCRETE:
            return Source.NOTHING  # a discrete dtype widens no other category
        found = Source.NOTHING
        for obj in (value.dtype,) if isinstance(value.dtype, Obj) else value.objs:
            found |= self._obj(obj, value.kinds)
        return Source.MADE if not found and isinstance(value.dtype, str) else found

    def _obj(self, obj: Obj, kinds: int) -> Source:
        if obj in self._seen:
            return Source.NOTHING
        self._seen.add(obj)
        if obj.origin is Origin.PARAMETER:
            return Source.GIVEN
        if obj.origin in (Origin.REGISTERED, Origin.GLOBAL):
            return Source.HELD
        key = self.run.names.key_of(obj)
        if obj.origin is Origin.ATTRIBUTE:
            return self._attribute(key, kinds)
        node = key[0] if isinstance(key, tuple) else None
        return self.expression(node) if isinstance(node, ast.expr | ast.AugAssign) else Source.NOTHING

    def _attribute(self, key: object, kinds: int) -> Source:
        """Return the sources of an attribute, which belongs to `self` or to an argument.

        An attribute of `self` that methods assign and that isn't known to be a tensor has none: it will be a number.
        """
        if not isinstance(key, tuple) or not isinstance(key[0], int):
            return Source.NOTHING
        if not self._objs:
            self._objs = list(self.run.names.by_key.values())
        holder = self._objs[key[0]]
        owner = self.run.program.module.class_of(self.run.scope)
        if owner is None or holder.parameter not in [a.arg for a in self.run.scope.parameters[:1]]:
            return self._obj(holder, kinds)
        is_assigned = any(key[2] in cls.assigned for cls in owner.linearized())
        return Source.HELD if kinds & TENSOR or not is_assigned else Source.NOTHING

    # -- expressions ----------------------------------------------------------------------------------------------

    def expression(self, node: ast.AST | None) -> Source:
        """Return the sources of the dtype of a new tensor that an expression makes."""
        if node is None or node in self._seen:
            return Source.NOTHING
        self._seen.add(node)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.MatMult):
                return Source.LOWERED
            operands = self._at(node.left) | self._at(node.right)
            if isinstance(node.op, ast.Div) or _is_float(node.left) or _is_float(node.right):
                return operands & ~Source.SUMMED
            return operands | Source.RAISED if isinstance(node.op, ast.Pow) else operands
        if isinstance(node, ast.AugAssign):
            return self._at(node.target) | self._at(node.value)
        if isinstance(node, ast.UnaryOp):
            return self._at(node.operand)
        if isinstance(node, ast.Attribute | ast.Subscript):
            return self._at(node.value)
        return self._call(node) if isinstance(node, ast.Call) else self._at(node)

    def _at(self, node: ast.AST) -> Source:
        """Return the sources of the dtype of any evaluated expression."""
        if isinstance(node, ast.List | ast.Tuple):
            found = Source.NOTHING
            for element in node.elts:
                found |= self._at(element)
            return found
        value = self.run.values.get(node) if isinstance(node, ast.expr) else None
        if value is None or not value.may_be(TENSOR | UNKNOWN | CONTAINER):
            return Source.NOTHING
        return self.value(value)

    def _call(self, node: ast.Call) -> Source:
        func = node.func
        callee = self.run.values.get(func)
        ref = callee.ref if callee is not None else None
        if isinstance(ref, TorchModule):
            return self._module(ref, self._at(node.args[0]) if node.args else Source.NOTHING)
        if isinstance(ref, Function | Bound | Instance):
            return self._own(node, ref)
        given = [*node.args, *(k.value for k in node.keywords if k.arg not in ("dtype", "device", "out"))]
        receiver = self.run.values.get(func.value) if isinstance(func, ast.Attribute) else None
        if isinstance(func, ast.Attribute) and receiver is not None and receiver.may_be(TENSOR | UNKNOWN):
            operator = torchapi.tensor_method(func.attr)
            return self._operator(node, operator, [func.value, *given])
        return self._operator(
            node, torchapi.function(self.run.program.module.qualified(self.run.scope, func) or ""), given
        )

    def _operator(self, node: ast.Call, operator: torchapi.Operator | None, given: list[ast.expr]) -> Source:
        if operator is None:
            return Source.NOTHING
        name = operator.short
        if name in autocast.LOWERED:
            return Source.LOWERED
        dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        if dtype is not None or name == "to":
            wanted = [dtype] if dtype is not None else [n for n in given[1:2] if not result_types.is_device(n)]
            return self._cast(wanted[0]) if wanted else self._at(given[0])
        if name == "type_as":
            return self._at(given[1]) if len(given) > 1 else Source.NOTHING
        if name in results.CASTS or (results.is_constructor(name) and not results.takes_after(name)):
            return Source.MADE
        if name in results.FIRST_ASIDE:
            given = given[1:]
        elif not _is_combining(operator, name):
            given = given[:1]
        found = Source.RAISED if name in autocast.RAISED else Source.NOTHING
        found |= Source.SUMMED if name in autocast.ACCUMULATING else Source.NOTHING
        for argument in given:
            found |= self._at(argument)
        return found

    def _cast(self, wanted: ast.expr) -> Source:
        """Return the sources of a cast to `wanted`; a cast to the dtype of another tensor has those of that tensor."""
        if isinstance(wanted, ast.Name):
            sources = self.run.program.module.bindings(self.run.scope).sources.get(wanted.id, [])
            if len(sources) == 1 and isinstance(sources[0], ast.Attribute):
                return self._cast(sources[0])
        holder = wanted.value if isinstance(wanted, ast.Attribute) and wanted.attr == "dtype" else wanted
        value = self.run.values.get(holder)
        if value is not None and value.may_be(TENSOR):
            return self.value(value)
        return Source.MADE if result_types.named_dtype(wanted) is not None else Source.CAST

    def _module(self, ref: TorchModule, given: Source) -> Source:
        name = ref.qualified.rsplit(".", 1)[-1]
        if name == "Sequential":
            for part in ref.parts or ():
                given = self._module(part.ref, given) if isinstance(part.ref, TorchModule) else Source.NOTHING
            return given if ref.parts else Source.NOTHING
        if name.startswith("Embedding"):
            return Source.HELD
        if autocast.lowers(name):
            return Source.LOWERED
        return given | Source.RAISED if autocast.raises(name) else given

    # -- functions of the analysed files --------------------------------------------------------------------------

    def _own(self, node: ast.Call, ref: Function | Bound | Instance) -> Source:
        """Return the sources of the result of a function or module of the analysed files."""
        function = function_of(self.run.program, ref)
        if function is None or function.scope.module is not self.run.scope.module or self.depth == _DEEPEST:
            return Source.NOTHING
        run = self.run.program.run(function.scope)
        if run is None:
            return Source.NOTHING
        found = Source.NOTHING
        for value, _ in run.returns:
            found |= _Walk(run, self.depth + 1).value(value)
        if Source.GIVEN in found:
            found &= ~Source.GIVEN
            for argument in (*node.args, *(k.value for k in node.keywords)):
                found |= self._at(argument)
        return found


def _is_float(node: ast.expr) -> bool:
    """Tell whether an expression is a number that makes every result floating: a float literal."""
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _is_combining(operator: torchapi.Operator, name: str) -> bool:
    """Tell whether all operands together decide the dtype of the result."""
    return (operator.elementwise and name not in results.FIRST_DECIDES) or name in results.COMBINING
