"""Constraints on kinds: what the code of one scope says of the kinds of its expressions and names.

Each definition of a name, each path of attributes and each expression is a variable. Its uses restrict it, and
relations connect it with others:

    v = u ** 2          u ** number -> v
    u[0] = 666          u isn't a number or a tuple
    loss(F.relu(v))     v is a tensor
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from unplace import torchapi
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    DICT,
    LIST,
    OTHER,
    TENSOR,
    TUPLE,
    UNKNOWN,
)
from unplace.analysis.project.module import ModuleIndex, reaching_in
from unplace.analysis.syntax.bindings import names_of_exceptions
from unplace.analysis.syntax.nodes import COMPREHENSIONS, DISPLAYS, NUMBERS, TEXTS, TRIES, children
from unplace.analysis.syntax.reaching import path_of
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types import evidence, indices, kinds, lookups
from unplace.analysis.types.callees import Callees, Signature, usual_argument
from unplace.analysis.types.evidence import Evidence
from unplace.analysis.types.indices import EACH
from unplace.analysis.types.own_methods import tells_nothing
from unplace.analysis.types.relations import (
    ANYTHING,
    CALLED,
    COMPARISON,
    ELEMENT,
    ITERABLE,
    MASKED,
    NEGATED,
    OPERATION,
    READ_AT,
    SAME,
    STORED_AS,
    STORED_AS_DATA,
    STORED_AT,
    UPDATE,
    operator_of,
)
from unplace.analysis.types.system import A_NUMBER, A_TEXT, AN_OBJECT, UNTOLD, System, Variable

_CATCHING = frozenset(["AttributeError", "BaseException", "Exception", "TypeError"])


class Collector:
    """Collects the constraints of one scope."""

    def __init__(self, module: ModuleIndex, scope: Scope) -> None:
        """Collect the constraints of a scope, without those of the scopes inside it."""
        self.found = System()
        self._module = module
        self._scope = scope
        self._callees = Callees(module, scope)
        body = scope.node.body
        self._reaching = reaching_in(module, scope)
        self._steady = indices.Steady(scope, self._callees.qualified)
        self._masks = set[Variable]()
        self._unsteady = scope.volatile | scope.global_names | scope.nonlocal_names
        for argument in scope.parameters:
            self._parameter(argument)
        self._block(body if isinstance(body, list) else [ast.copy_location(ast.Expr(body), body)])

    def _parameter(self, argument: ast.arg) -> None:
        arguments = getattr(self._scope.node, "args", None)
        annotated = kinds.of_annotation(argument.annotation)
        variable = self.found.entry(argument.arg)
        if arguments is not None and argument is arguments.vararg:
            self.found.restrict(variable, TUPLE)
        elif arguments is not None and argument is arguments.kwarg:
            self.found.restrict(variable, DICT)
        elif not annotated & UNKNOWN and annotated & ANYTHING:
            self.found.restrict(variable, annotated & ANYTHING)
        elif kinds.names_a_class(argument.annotation):
            self.found.restrict(variable, ANYTHING & ~TENSOR)
        self.found.of_nodes[argument] = variable

    # -- statements -----------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.AST]) -> None:
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)
            else:
                self._parts(statement)

    def _parts(self, node: ast.AST) -> None:
        """Visit the expressions and blocks of a statement, in no particular order."""
        for child in children(node):
            if isinstance(child, ast.expr):
                self._value(child)
            elif isinstance(child, ast.stmt):
                self._block([child])
            elif not isinstance(child, ast.pattern):
                self._parts(child)

    def _assign(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Assign)
        value = self._value(node.value)
        for target in node.targets:
            self._bind(target, value, node.value)

    def _annotated(self, node: ast.AST) -> None:
        assert isinstance(node, ast.AnnAssign)
        if node.value is None:
            return
        self._bind(node.target, self._value(node.value), node.value)
        annotated = kinds.of_annotation(node.annotation)
        if not annotated & UNKNOWN and annotated & ANYTHING and isinstance(node.target, ast.Name):
            self.found.restrict(self.found.definition(node.target), annotated & ANYTHING)

    def _augmented(self, node: ast.AST) -> None:
        assert isinstance(node, ast.AugAssign)
        value, target = self._operand(node.value), node.target
        relation = UPDATE[operator_of(node.op, node.value)]
        if isinstance(target, ast.Subscript):
            (holder, form), before, after = self._at(target), self.found.new(), self.found.new()
            self.found.relate(READ_AT[form], holder, before)
            self.found.relate(relation, before, value, after)
            self.found.relate(STORED_AT[form], holder, after)
            self.found.of_nodes[target] = self.found.of_nodes[node] = before
            return
        before = self.found.entry(target.id) if isinstance(target, ast.Name) else self._field(target)
        before = self.found.of_nodes[node] = self._seen(target, before)
        if isinstance(target, ast.Name) and self._callees.is_result_of_part(target.id):
            self.found.restrict(before, TENSOR, likely=True)
        self.found.relate(relation, before, value, self.found.definition(target))

    def _loop(self, node: ast.AST) -> None:
        assert isinstance(node, ast.For | ast.AsyncFor)
        self._iterate(node.target, node.iter)
        self._block(node.body)
        self._block(node.orelse)

    def _with(self, node: ast.AST) -> None:
        assert isinstance(node, ast.With | ast.AsyncWith)
        for item in node.items:
            self._value(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, self.found.new(), None)
        self._block(node.body)

    def _try(self, node: Any) -> None:
        caught = {code for handler in node.handlers for code in names_of_exceptions(handler)}
        was_certain = self.found.is_certain
        self.found.is_certain = (
            was_certain and bool(caught) and not caught & _CATCHING if node.handlers else was_certain
        )
        self._block(node.body)
        for handler in node.handlers:
            self._block(handler.body)
        self.found.is_certain = was_certain
        self._block(node.orelse)
        self._block(node.finalbody)

    def _scope_inside(self, node: ast.AST) -> None:
        self.found.of_nodes[node] = self.found.new(CALLABLE | OTHER)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
                self._value(default)

    def _import(self, node: ast.AST) -> None:
        self.found.of_nodes[node] = UNTOLD

    # -- targets --------------------------------------------------------------------------------------------------

    def _bind(self, target: ast.expr, value: Variable, source: ast.expr | None) -> None:
        """Bind a target of an assignment; `source` is the assigned expression, where there is one."""
        if isinstance(target, DISPLAYS):
            self._unpack(target, value, source)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, self.found.new(LIST), None)
        elif isinstance(target, ast.Subscript):
            holder, form = self._at(target)
            self.found.relate(STORED_AT[form], holder, value)
        else:
            if isinstance(target, ast.Attribute):
                stored_as = STORED_AS_DATA if target.attr == "data" else STORED_AS
                self.found.relate(stored_as, self._value(target.value), value)
            if path_of(target) is not None:
                self.found.relate(SAME, self.found.definition(target), value)
            if isinstance(target, ast.Name) and source is not None:
                if indices.is_mask(source):
                    self._masks.add(self.found.definition(target))
                elif isinstance(source, ast.Tuple | ast.List | ast.ListComp):
                    self._keep(target, source)

    def _keep(self, target: ast.Name, source: ast.Tuple | ast.List | ast.ListComp) -> None:
        """Let the elements of a display that is bound to a name be those that are read from it."""
        if not isinstance(source, ast.Tuple) and target not in self._steady:
            return
        holder = self.found.definition(target)
        for index, element in indices.elements(source):
            self.found.relate(SAME, self.found.entry((holder, index)), self.found.of_nodes[element])

    def _unpack(self, target: ast.Tuple | ast.List, value: Variable, source: ast.expr | None) -> None:
        sources = source.elts if isinstance(source, ast.Tuple | ast.List) else []
        if len(sources) == len(target.elts) and not any(isinstance(e, ast.Starred) for e in (*sources, *target.elts)):
            for part, given in zip(target.elts, sources, strict=True):
                self._bind(part, self.found.of_nodes[given], given)
            return
        self.found.restrict(value, ITERABLE)
        for part in target.elts:
            element = self.found.new()
            self.found.relate(ELEMENT, value, element)
            self._bind(part, element, None)

    def _iterate(self, target: ast.expr, source: ast.expr) -> None:
        """Bind the target of a loop to the elements of `source`; those of `zip` and `enumerate` come apart."""
        called = self._callees.qualified(source.func) if isinstance(source, ast.Call) else None
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        given = source.args if isinstance(source, ast.Call) else []
        if called == "builtins.zip" and len(parts) == len(given):
            for part, argument in zip(parts, given, strict=True):
                self._iterate(part, argument)
        elif called == "builtins.enumerate" and len(parts) == 2 and given:
            self._bind(parts[0], A_NUMBER, None)
            self._iterate(parts[1], given[0])
        elif called == "builtins.range":
            self._value(source)
            self._bind(target, A_NUMBER, None)
        else:
            value = self._value(source)
            element = self._element(source, value)
            self.found.restrict(value, ITERABLE)
            self.found.relate(ELEMENT, value, element)
            self._bind(target, element, None)

    # -- expressions ----------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Variable:
        """Return the variable of an expression."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            found = handler(self, node)
        else:
            for child in children(node):
                if isinstance(child, ast.expr):
                    self._value(child)
            found = UNTOLD
        self.found.of_nodes[node] = found
        return found

    def _constant(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.Constant)
        if type(node.value) in TEXTS:
            return A_TEXT
        return A_NUMBER if type(node.value) in NUMBERS else UNTOLD if node.value is None else AN_OBJECT

    def _seen(self, node: ast.AST, entry: Variable) -> Variable:
        """Return the variable of what a read name or path may be: `entry`, or something that the scope binds."""
        definitions = self._reaching.seen_by.get(node)
        if definitions is None:
            return entry
        variables = {entry if isinstance(d, str) else self.found.definition(d) for d in definitions}
        if len(variables) == 1:
            return variables.pop()
        seen = self.found.new()
        self.found.relate(None, seen, *sorted(variables))
        return seen

    def _name(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.Name)
        return UNTOLD if node.id in self._unsteady else self._seen(node, self.found.entry(node.id))

    def _attribute(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.Attribute)
        if self._callees.qualified(node) is not None:
            return UNTOLD
        found = self._seen(node, self._field(node))
        holder = self.found.of_nodes[node.value]
        self._look_up(holder, node.attr, evidence.of_name(node.attr))
        if (relation := lookups.of_attribute(node.attr)) is not None:
            self.found.relate(relation, holder, found)
        return found

    def _field(self, node: ast.Attribute) -> Variable:
        """Return the variable of what an attribute is when the scope is entered."""
        return self.found.entry((self._value(node.value), node.attr))

    def _look_up(self, holder: Variable, name: str, shown: Evidence) -> None:
        """Restrict an object by a name that is looked up on it, and by what that shows unless a class here has it."""
        known = shown if not tells_nothing(self._module, name) else Evidence.NONE
        if known is Evidence.PROOF:
            self.found.restrict(holder, TENSOR)
            return
        self.found.restrict(holder, lookups.having(name))
        if known is Evidence.HINT:
            self.found.restrict(holder, TENSOR, likely=True)
        if known is not Evidence.NONE and evidence.is_idiom(name):
            self.found.idiomatic.add(holder)
        if not evidence.is_attribute_of_tensor(name):
            self.found.foreign |= {holder, self.found.taken_from.get(holder, holder)}

    def _subscript(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.Subscript)
        holder, index = self._at(node)
        result = self._element(node.value, holder, indices.number(node.slice)) if index == "plain" else self.found.new()
        self.found.relate(READ_AT[index], holder, result)
        if index == "plain":
            self.found.taken_from[result] = holder
        if indices.is_mask(node.slice):
            self.found.restrict(holder, TENSOR | ARRAY | OTHER, likely=True)
        return result

    def _at(self, node: ast.Subscript) -> tuple[Variable, str]:
        """Return the variable of an indexed object, and the form of the index, a key of `READ_AT`."""
        holder = self._value(node.value)
        index = self._value(node.slice) if not isinstance(node.slice, ast.Slice) else UNTOLD
        if index in self._masks:
            self.found.doubtful.append((MASKED, (holder, index)))
        return holder, indices.form(node.slice)

    def _element(self, source: ast.expr, holder: Variable, index: int | None = None) -> Variable:
        """Return the variable of an element: that of its other reads where these give the same object."""
        key: tuple[Variable, int | str] = holder, EACH
        if key in self.found.entries:
            return self.found.entry(key)
        key = holder, index if index is not None else EACH
        if index is not None and (key in self.found.entries or source in self._steady):
            return self.found.entry(key)
        return self.found.new()

    def _binary(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.BinOp)
        left, right, result = self._operand(node.left), self._operand(node.right), self.found.new()
        self.found.relate(OPERATION[operator_of(node.op, node.left, node.right)], left, right, result)
        return result

    def _operand(self, node: ast.expr) -> Variable:
        value = self._value(node)
        if self._callees.is_of_part(node):
            self.found.restrict(value, TENSOR, likely=True)
        return value

    def _unary(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.UnaryOp)
        operand = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            return A_NUMBER
        result = self.found.new()
        self.found.relate(NEGATED, operand, result)
        return result

    def _compare(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.Compare)
        operands = [self._value(part) for part in (node.left, *node.comparators)]
        if len(node.ops) > 1:
            return UNTOLD
        result = self.found.new()
        self.found.relate(COMPARISON[type(node.ops[0])], operands[0], operands[1], result)
        return result

    def _choice(self, node: ast.expr) -> Variable:
        if isinstance(node, ast.IfExp):
            self._value(node.test)
            parts = [node.body, node.orelse]
        else:
            assert isinstance(node, ast.BoolOp)
            parts = node.values
        variables = [self._value(part) for part in parts]
        result = self.found.new()
        self.found.relate(None, result, *variables)
        return result

    def _walrus(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.NamedExpr)
        value = self._value(node.value)
        self._bind(node.target, value, node.value)
        return value

    def _display(self, node: ast.expr) -> Variable:
        for child in children(node):
            if isinstance(child, ast.expr):
                self._value(child)
        return self.found.new(kinds.OF_DISPLAYS[type(node)])

    def _comprehension(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        for part in node.generators:
            self._iterate(part.target, part.iter)
            for test in part.ifs:
                self._value(test)
        for element in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._value(element)
        return self.found.new(kinds.OF_DISPLAYS[type(node)])

    def _text(self, node: ast.expr) -> Variable:
        for child in children(node):
            if isinstance(child, ast.FormattedValue):
                self._value(child.value)
        return A_TEXT

    def _lambda(self, node: ast.expr) -> Variable:
        return self.found.new(CALLABLE)

    # -- calls ----------------------------------------------------------------------------------------------------

    def _call(self, node: ast.expr) -> Variable:
        assert isinstance(node, ast.Call)
        arguments = [self._value(a) for a in node.args]
        named = {k.arg: self._value(k.value) for k in node.keywords}
        signature = self._callees.signature(node)
        if signature is not None:
            return self._known_call(node, signature, arguments, named)
        function = node.func
        if isinstance(function, ast.Attribute):
            return self._method(node, function)
        self.found.restrict(self._value(function), CALLED)
        return self.found.new()

    def _known_call(
        self, node: ast.Call, signature: Signature, arguments: list[Variable], named: dict[str | None, Variable]
    ) -> Variable:
        if signature.is_test:
            self.found.tested.update(arguments[:1])
            return A_NUMBER
        for index, variable in enumerate(arguments):
            if isinstance(node.args[index], ast.Starred):
                break
            self.found.restrict(variable, signature.taken(index))
            self.found.restrict(variable, signature.usually(index), likely=True)
        for name, variable in named.items():
            self.found.restrict(variable, signature.taken_as(name))
        for display in node.args[:1] if signature.takes_several else ():
            for element in display.elts if isinstance(display, ast.List | ast.Tuple) else ():
                if not isinstance(element, ast.Starred):
                    self.found.restrict(self.found.of_nodes[element], TENSOR)
        return self.found.new(signature.result)

    def _method(self, node: ast.Call, function: ast.Attribute) -> Variable:
        """Return the result of a method of an object of the scope."""
        holder, name = self._value(function.value), function.attr
        result = self.found.new()
        self.found.restrict(result, lookups.given_by_others(name), likely=True)
        self._look_up(holder, name, evidence.of_call(node))
        if not evidence.may_be_of_tensor(node, name):
            self.found.foreign |= {holder, self.found.taken_from.get(holder, holder)}
            return result
        if (relation := lookups.of_method(name)) is not None:
            self.found.relate(relation, holder, result)
        operator = torchapi.tensor_method(name)
        parameters = operator.parameters if operator is not None else ()
        for index, argument in enumerate(node.args if parameters else (), 1):
            usual = usual_argument(name, parameters, index)
            self.found.restrict(self.found.of_nodes[argument], usual, likely=True)
        return result


_STATEMENTS: dict[type, Callable[[Collector, Any], None]] = {
    ast.Assign: Collector._assign,
    ast.AnnAssign: Collector._annotated,
    ast.AugAssign: Collector._augmented,
    ast.For: Collector._loop,
    ast.AsyncFor: Collector._loop,
    ast.With: Collector._with,
    ast.AsyncWith: Collector._with,
    **dict.fromkeys(TRIES, Collector._try),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), Collector._scope_inside),
    ast.Import: Collector._import,
    ast.ImportFrom: Collector._import,
}

_EXPRESSIONS: dict[type, Callable[[Collector, Any], Variable]] = {
    ast.Constant: Collector._constant,
    ast.Name: Collector._name,
    ast.Attribute: Collector._attribute,
    ast.Subscript: Collector._subscript,
    ast.BinOp: Collector._binary,
    ast.UnaryOp: Collector._unary,
    ast.Compare: Collector._compare,
    ast.IfExp: Collector._choice,
    ast.BoolOp: Collector._choice,
    ast.NamedExpr: Collector._walrus,
    ast.Call: Collector._call,
    ast.JoinedStr: Collector._text,
    ast.Lambda: Collector._lambda,
    **dict.fromkeys((ast.List, ast.Tuple, ast.Dict, ast.Set), Collector._display),
    **dict.fromkeys(COMPREHENSIONS, Collector._comprehension),
}
