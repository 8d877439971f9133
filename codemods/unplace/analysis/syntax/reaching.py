"""Reaching definitions: which bindings of a name each of its reads may see.

A forward data flow analysis over the statements of one scope. The keys are names and plain paths of attributes (`x`,
`self.h`, `batch.pos`). A definition is the node that binds the key: a `Name` or `Attribute` that is stored to, or the
definition of a function or class. The value that a key has when the scope is entered is its entry definition: a
parameter, a name of an outer scope, an attribute stored elsewhere. It is denoted by the key itself.

    def f(x):            the entry definition "x"
        while x > 0:     sees "x" and the store in the loop
            x = x / 2    sees the same
        return x         sees both
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from unplace.analysis.syntax.nodes import COMPREHENSIONS, DISPLAYS, LOOPS, SCOPES, TRIES, children

Definition = ast.AST | str
Definitions = frozenset[Definition]
_Env = dict[str, Definitions]


class Reaching:
    """The definitions that reach the reads of one scope; `seen_by[node]` has those of a read name or path.

    Where only the entry definition does, a node is left out. The target of `x += 1` is read before it is bound: its
    node is a definition, and has definitions that reach it.
    """

    def __init__(self, body: Iterable[ast.AST], *, binds_inside: bool, has_rounds: bool = False) -> None:
        """Analyse the statements of a function, class or module, or the expression of a lambda.

        `binds_inside` is False where no expression binds a name: `(n := len(xs))`. With `has_rounds`, a loop over
        something is taken to have a round.
        """
        self.seen_by: dict[ast.AST, Definitions] = {}
        self._records = True  # False while a loop's body is walked only for the definitions that reach its end
        self._binds_inside = binds_inside
        self._has_rounds = has_rounds
        self._leaving: list[tuple[list[_Env], list[_Env]]] = []  # at the `break` and `continue` of the loops around
        self._stored: set[str] = set()  # the names of the attributes bound so far
        self._paths: set[str] = set()  # the paths of attributes bound so far: `self.h`
        self._optional = 0  # the number of expressions around this one that may leave it out
        self._block(body, {})

    # -- statements -----------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.AST], env: _Env | None) -> _Env | None:
        """Walk a block, and return the definitions at its end; None where it isn't reached."""
        for statement in body:
            if env is None:
                return None
            env = self._statement(statement, env)
        return env

    def _statement(self, node: ast.AST, env: _Env) -> _Env | None:
        handler = _STATEMENTS.get(type(node))
        if handler is not None:
            return handler(self, node, env)
        self._expression(node, env)
        return env

    def _assign(self, node: ast.AST, env: _Env) -> _Env:
        assert isinstance(node, ast.Assign)
        self._expression(node.value, env)
        for target in node.targets:
            self._bind(target, env)
        return env

    def _annotated(self, node: ast.AST, env: _Env) -> _Env:
        assert isinstance(node, ast.AnnAssign)
        if node.value is not None:
            self._expression(node.value, env)
            self._bind(node.target, env)
        return env

    def _augmented(self, node: ast.AST, env: _Env) -> _Env:
        assert isinstance(node, ast.AugAssign)
        self._read(node.target, env)
        self._expression(node.value, env)
        self._bind(node.target, env)
        return env

    def _if(self, node: ast.AST, env: _Env) -> _Env | None:
        assert isinstance(node, ast.If)
        self._expression(node.test, env)
        return _joined(self._block(node.body, dict(env)), self._block(node.orelse, dict(env)))

    def _loop(self, node: ast.AST, env: _Env) -> _Env | None:
        assert isinstance(node, LOOPS)
        if not isinstance(node, ast.While):
            self._expression(node.iter, env)
        records, self._records = self._records, False
        end, left = self._round(node, dict(env))
        self._records = records
        head = _joined(env, end)
        assert head is not None
        has_round = self._has_rounds and not isinstance(node, ast.While)
        if records or (has_round and left):  # a second round ends as the first does, but for what leaves it
            end, left = self._round(node, dict(head))
        end = self._block(node.orelse, end if has_round else head)
        for each in left:
            end = _joined(end, each)
        return end

    def _round(self, node: ast.For | ast.AsyncFor | ast.While, env: _Env) -> tuple[_Env | None, list[_Env]]:
        """Walk one iteration, and return the definitions at its end and at each `break`."""
        breaks: list[_Env] = []
        continues: list[_Env] = []
        self._leaving.append((breaks, continues))
        if isinstance(node, ast.While):
            self._expression(node.test, env)
        else:
            self._bind(node.target, env)
        end = self._block(node.body, env)
        self._leaving.pop()
        for each in continues:
            end = _joined(end, each)
        return end, breaks

    def _break(self, node: ast.AST, env: _Env) -> None:
        if self._leaving:
            self._leaving[-1][0].append(env)

    def _continue(self, node: ast.AST, env: _Env) -> None:
        if self._leaving:
            self._leaving[-1][1].append(env)

    def _leave(self, node: ast.AST, env: _Env) -> None:
        self._expression(node, env)

    def _with(self, node: ast.AST, env: _Env) -> _Env | None:
        assert isinstance(node, ast.With | ast.AsyncWith)
        for item in node.items:
            self._expression(item.context_expr, env)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, env)
        return self._block(node.body, env)

    def _try(self, node: Any, env: _Env) -> _Env | None:
        raised: _Env | None = dict(env)
        end: _Env | None = env
        for statement in node.body:
            if end is None:
                break
            end = self._statement(statement, end)
            raised = _joined(raised, end)
        end = self._block(node.orelse, end) if end is not None else None
        for handler in node.handlers:
            entered = dict(raised or {})
            if handler.type is not None:
                self._expression(handler.type, entered)
            if handler.name is not None:
                entered[handler.name] = frozenset([handler])
            end = _joined(end, self._block(handler.body, entered))
        if not node.finalbody:
            return end
        last = self._block(node.finalbody, dict(_joined(end, raised) or {}))
        return last if end is not None else None

    def _match(self, node: ast.AST, env: _Env) -> _Env | None:
        assert isinstance(node, ast.Match)
        self._expression(node.subject, env)
        end: _Env | None = dict(env)
        for case in node.cases:
            inside = dict(env)
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self._define(name, part, inside)
            if case.guard is not None:
                self._expression(case.guard, inside)
            end = _joined(end, self._block(case.body, inside))
        return end

    def _definition(self, node: ast.AST, env: _Env) -> _Env:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        self._outside(node, env)
        self._define(node.name, node, env)
        return env

    def _import(self, node: ast.AST, env: _Env) -> _Env:
        assert isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names:
            self._define(alias.asname or alias.name.split(".")[0], node, env)
        return env

    # -- expressions ----------------------------------------------------------------------------------------------

    def _bind(self, target: ast.expr, env: _Env) -> None:
        """Let the targets of an assignment bind their keys."""
        if isinstance(target, DISPLAYS):
            for element in target.elts:
                self._bind(element, env)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, env)
        elif isinstance(target, ast.Subscript):
            self._expression(target, env)
        else:
            if isinstance(target, ast.Attribute):
                self._expression(target.value, env)
                self._stored.add(target.attr)
            key = path_of(target)
            if key is not None:
                self._define(key, target, env)

    def _expression(self, node: ast.AST, env: _Env) -> None:
        """Note the definitions that reach the reads in an expression."""
        if not self._records and not self._binds_inside:
            return
        kind = type(node)
        if kind is ast.Name:
            self._read(node, env)
        elif kind is ast.Attribute:
            self._read(node, env)
            self._expression(node.value, env)  # type: ignore[attr-defined]
        elif isinstance(node, ast.NamedExpr):
            self._expression(node.value, env)
            name = node.target.id
            before = env.get(name, frozenset([name]))
            self._define(name, node.target, env)
            if self._optional:
                env[name] |= before
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node, dict(env))
        elif kind in SCOPES:
            self._outside(node, env)
        else:
            leaves_out = kind is ast.BoolOp or kind is ast.IfExp
            self._optional += leaves_out
            for child in children(node):
                self._expression(child, env)
            self._optional -= leaves_out

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, env: _Env) -> None:
        for part in node.generators:
            self._expression(part.iter, env)
            self._bind(part.target, env)
            for test in part.ifs:
                self._expression(test, env)
        for element in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._expression(element, env)

    def _outside(self, node: ast.AST, env: _Env) -> None:
        """Walk the parts of a definition that are evaluated outside it."""
        if isinstance(node, ast.ClassDef):
            parts: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            parts = [
                *node.args.defaults,
                *(d for d in node.args.kw_defaults if d),
                *getattr(node, "decorator_list", ()),
            ]
        for part in parts:
            self._expression(part, env)

    def _define(self, key: str, node: ast.AST, env: _Env) -> None:
        """Bind a key anew; what its attributes were is forgotten."""
        env[key] = frozenset([node])
        if "." in key:
            self._paths.add(key)
        below = f"{key}."
        for path in self._paths:
            if path.startswith(below):
                env.pop(path, None)

    def _read(self, node: ast.AST, env: _Env) -> None:
        if not self._records or (type(node) is ast.Attribute and node.attr not in self._stored):
            return
        found = env.get(path_of(node) or "")
        if found is not None:
            self.seen_by[node] = found


def path_of(node: ast.AST) -> str | None:
    """Return the key of a name or of a plain path of attributes: `x`, `self.h`; None for any other expression."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute:
        holder = path_of(node.value)
        return f"{holder}.{node.attr}" if holder is not None else None
    return None


def _joined(first: _Env | None, second: _Env | None) -> _Env | None:
    """Return the definitions that reach a place from two sides; a side that isn't reached is None."""
    if first is None or second is None:
        return first if second is None else second
    if first is second:
        return first
    found = dict(first)
    for key, definitions in second.items():
        known = found.get(key)
        if known is None:
            found[key] = definitions | {key}
        elif known != definitions:
            found[key] = known | definitions
    for key in first.keys() - second.keys():
        found[key] = first[key] | {key}
    return found


_Handler = Callable[[Reaching, Any, _Env], _Env | None]

_STATEMENTS: dict[type, _Handler] = {
    ast.Assign: Reaching._assign,
    ast.AnnAssign: Reaching._annotated,
    ast.AugAssign: Reaching._augmented,
    ast.If: Reaching._if,
    **dict.fromkeys(LOOPS, Reaching._loop),
    ast.Break: Reaching._break,
    ast.Continue: Reaching._continue,
    ast.Return: Reaching._leave,
    ast.Raise: Reaching._leave,
    ast.With: Reaching._with,
    ast.AsyncWith: Reaching._with,
    **dict.fromkeys(TRIES, Reaching._try),
    ast.Match: Reaching._match,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), Reaching._definition),
    **dict.fromkeys((ast.Import, ast.ImportFrom), Reaching._import),
}
