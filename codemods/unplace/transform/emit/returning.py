"""Text of a handback: the additional return values of a function, and the targets that take them at each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from unplace.analysis.domain.paths import AccessPath, Binding
from unplace.analysis.domain.values import NONE, Value
from unplace.analysis.interpret.run import Run
from unplace.analysis.syntax.nodes import own_nodes
from unplace.analysis.syntax.scopes import Scope
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.emit import bindings
from unplace.transform.emit.layout import new_name, put_before, replace_statement, standing_alone, without_parentheses
from unplace.transform.emit.snippet import extended
from unplace.transform.verdicts import Refuse

OWN = ""
"""The path that stands for the file in hand."""

Placed: TypeAlias = tuple[str, Edit]
"""An edit with the path of its file."""


@dataclass(frozen=True, slots=True)
class ReturnedForm:
    """The way a function returns its parameters: as it does already, as its only value, or in addition (`is_extra`).

    `width` is the length of the tuple displays that it returns, if all have the same length and every call unpacks
    them: the parameters are then added to the tuple.
    """

    is_changed: bool
    is_extra: bool
    width: int | None = None


_SAME = ReturnedForm(False, False)
_ALONE = ReturnedForm(True, False)


def returned_form(
    scope: Scope,
    names: tuple[str, ...],
    same: str | None,
    values: Sequence[Value],
    takings: Sequence[Taking],
    reaches_end: bool,
) -> ReturnedForm | Refuse:
    """Choose how a function can return these parameters, given what it returns now and how its calls use that.

    `reaches_end` tells whether it may end without a `return`.
    """
    node = scope.node
    if names == (same,):
        return _SAME
    if not isinstance(node, ast.FunctionDef):
        return Refuse(Refusal.NO_PLAIN_FUNCTION(function=scope.name))
    if any(not (isinstance(d, ast.Name) and d.id == "staticmethod") for d in node.decorator_list):
        return Refuse(Refusal.DECORATED(function=scope.name))
    if is_fixed(scope):
        return Refuse(Refusal.FIXED_RETURN(function=scope.name))
    if all(value.must_be(NONE) for value in values):
        return _ALONE
    widths = {_width(r.value) for r in own_nodes(node) if isinstance(r, ast.Return)}
    widths |= {None} if reaches_end else set()
    for taking in takings:
        if isinstance(taking.statement, ast.Assign) and len(taking.statement.targets) == 1:
            widths.add(_width(taking.statement.targets[0]))
        elif not (isinstance(taking.statement, ast.Expr) and taking.statement.value is taking.call):
            widths.add(None)
    return ReturnedForm(True, True, widths.pop() if len(widths) == 1 else None)


def is_fixed(scope: Scope) -> bool:
    """Tell whether others than the callers in sight decide what a function returns, as torch does for a `forward`."""
    return scope.name == "forward" or (scope.name.startswith("__") and scope.name.endswith("__"))


def _width(node: ast.expr | None) -> int | None:
    """Return the length of a tuple display; None for any other expression."""
    if not isinstance(node, ast.Tuple) or any(isinstance(e, ast.Starred) for e in node.elts):
        return None
    return len(node.elts)


@dataclass(slots=True)
class Taking:
    """One call: the places that take the tensor returned for each parameter, and the views to rematerialise.

    `path` is that of the file with the call, and `text` its text.
    `stores` has the parameters for which a view was passed: its lines clone the base of the view and store the returned
    tensor into the clone.
    """

    call: ast.Call
    statement: ast.stmt
    run: Run
    text: Text
    path: str = OWN
    is_movable: bool = False  # nothing that is evaluated before the call in its statement could notice it
    places: dict[str, tuple[AccessPath, ...]] = field(default_factory=dict)
    views: tuple[Binding, ...] = ()
    stores: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_statement(self) -> bool:
        """Tell whether the call is a statement of its own."""
        return isinstance(self.statement, ast.Expr) and self.statement.value is self.call

    @property
    def is_assigned(self) -> bool:
        """Tell whether the statement assigns the value of the call."""
        return isinstance(self.statement, ast.Assign) and self.statement.value is self.call


@dataclass(frozen=True, slots=True)
class _Targets:
    """The targets for the tensors of one call: `a = b`, all names of a single tensor, or `a, b`, one name for each."""

    places: tuple[str, ...]
    is_unpacked: bool

    def __str__(self) -> str:
        return (", " if self.is_unpacked else " = ").join(self.places)


@dataclass(slots=True, eq=False)
class Handback:
    """A function that hands written parameters back, its calls, and the callers' own handbacks that these need."""

    text: Text
    path: str
    scope: Scope
    names: tuple[str, ...]
    form: ReturnedForm
    tensor_type: str | None  # how the file writes `torch.Tensor`
    reaches_end: bool  # the function may end without a `return`
    assumptions: list[Reason] = field(default_factory=list)
    needs: list[Handback] = field(default_factory=list)
    _edits: set[Placed] = field(default_factory=set)

    def assume(self, assumption: Reason) -> None:
        """Record an assumption that the handback rests on."""
        if assumption not in self.assumptions:
            self.assumptions.append(assumption)

    def all_edits(self) -> set[Placed]:
        """Return the edits of the function's returns and of its calls, and those of the callers' own handbacks."""
        found: set[Placed] = set()
        todo: list[Handback] = [self]
        seen: set[int] = set()
        while todo:
            current = todo.pop()
            if id(current) not in seen:
                seen.add(id(current))
                found |= current._edits | {(current.path, edit) for edit in current._returns()}
                todo += current.needs
        return found

    # -- the function ---------------------------------------------------------------------------------------------

    def _returns(self) -> Iterator[Edit]:
        if not self.form.is_changed:
            return
        node = self.scope.node
        assert isinstance(node, ast.FunctionDef)
        given = ", ".join(self.names)
        for statement in own_nodes(node):
            if isinstance(statement, ast.Return):
                start, end = self.text.span(statement)
                yield Edit(start, end, f"return {self._with(statement.value, given)}")
        if self.reaches_end:
            yield self._appended(node.body[-1], f"return {self._with(None, given)}")
        if node.returns is not None:
            yield self._annotation(node)

    def _with(self, value: ast.expr | None, given: str) -> str:
        """Return the new return value: the parameters alone, or after the value that was returned before."""
        if not self.form.is_extra:
            return given
        if value is None:
            return f"None, {given}"
        own = self.text.slice(value)
        is_bare = isinstance(value, ast.Tuple) and without_parentheses(own) is None
        if self.form.width is not None:
            return f"{own}, {given}" if is_bare else extended(own, self.names)
        is_kept = is_bare or isinstance(value, ast.Lambda | ast.IfExp)
        return f"({own}), {given}" if is_kept else f"{standing_alone(own)}, {given}"

    def _appended(self, last: ast.stmt, line: str) -> Edit:
        """Return the edit that adds a line after the last statement of the function, at the indentation of its body."""
        start, end = self.text.span(last)
        indent = self.text.indentation(start)
        if indent is None:
            return Edit(end, end, f"; {line}")  # `def f(h): h += 1`
        line_end = self.text.line_end(end)
        after = line_end + len(self.text.newline)
        if after > len(self.text.text):
            return Edit(line_end, line_end, f"{self.text.newline}{indent}{line}")
        return Edit(after, after, f"{indent}{line}{self.text.newline}")

    def _annotation(self, node: ast.FunctionDef) -> Edit:
        """Return the edit that adds types to the return annotation, or removes it where they aren't known."""
        assert node.returns is not None
        start, end = self.text.span(node.returns)
        texts = [self._type_of(a) for a in self.scope.parameters if a.arg in self.names]
        if None in texts:
            arrow = self.text.text.rindex("->", 0, start)
            return Edit(len(self.text.text[:arrow].rstrip()), end, "")
        added = ", ".join(text for text in texts if text is not None)
        if not self.form.is_extra:
            return Edit(start, end, added if len(texts) == 1 else f"tuple[{added}]")
        of = node.returns
        if self.form.width is not None and isinstance(of, ast.Subscript) and _width(of.slice) == self.form.width:
            return Edit(end - 1, end - 1, f", {added}")
        return Edit(start, end, f"tuple[{self.text.slice(of)}, {added}]")

    def _type_of(self, argument: ast.arg) -> str | None:
        if argument.annotation is None:
            return self.tensor_type
        return standing_alone(self.text.slice(argument.annotation))

    # -- the calls ------------------------------------------------------------------------------------------------

    def take(self, taking: Taking) -> Refuse | None:
        """Plan the edit of one call; return the refusal if the call can't take the tensors."""
        if not taking.places:
            return self._take_nothing(taking)
        call = standing_alone(taking.text.slice(taking.call))
        targets, after = self._targets(taking)
        stores = [line for name in self.names for line in taking.stores.get(name, ())]
        if taking.is_statement or self._shows_nothing(taking):
            line = f"{self._ignored(taking)}{targets} = {call}"
        elif taking.is_assigned and not stores:
            own = self._assigned(taking, targets)
            if own is None:
                return Refuse(Refusal.NO_ROOM())
            line = f"{own} = {call}"
        elif taking.is_movable and not stores and self._is_on_own_line(taking):
            self._take_before(taking, targets, after)
            return None
        else:
            return Refuse(Refusal.NO_OWN_STATEMENT())
        after = [*after, *bindings.lines(taking.text, taking.views)]
        self._add(taking, *replace_statement(taking.text, taking.statement, [line, *stores], after))
        return None

    def _take_nothing(self, taking: Taking) -> Refuse | None:
        """Plan the edit of a call whose tensors nothing reads: it uses at most the value returned before."""
        if self.form == _ALONE and not taking.is_statement:
            return Refuse(Refusal.NONE_USED())
        if self.form.is_extra and not taking.is_statement:
            _, end = taking.text.span(taking.call)
            width = self.form.width
            self._add(taking, Edit(end, end, "[0]" if width is None else f"[:{width}]"))
        return None

    def _take_before(self, taking: Taking, targets: _Targets, after: list[str]) -> None:
        """Move the call to a line before its statement, where a name, or None, takes its place."""
        call = standing_alone(taking.text.slice(taking.call))
        value = new_name(taking.run.taken_names())
        if self.form.is_extra:
            lines = [f"{value}, {targets} = {call}"]
        else:
            value = "None" if self.form == _ALONE else targets.places[0]
            lines = [f"{targets} = {call}"]
        lines += [*after, *bindings.lines(taking.text, taking.views)]
        self._add(taking, put_before(taking.text, taking.statement, lines), Edit(*taking.text.span(taking.call), value))

    def _shows_nothing(self, taking: Taking) -> bool:
        """Tell whether a call that returned None is a whole statement: a notebook would now display its value."""
        return self.form == _ALONE and taking.text.span(taking.statement) == taking.text.span(taking.call)

    def _is_on_own_line(self, taking: Taking) -> bool:
        return taking.text.indentation(taking.text.span(taking.statement)[0]) is not None

    def _ignored(self, taking: Taking) -> str:
        """Return the target for the value that the function returned before, which the caller ignores."""
        if not self.form.is_extra:
            return ""
        return f"{'*' if self.form.width is not None else ''}{_unused(taking.run)}, "

    def _assigned(self, taking: Taking, targets: _Targets) -> str | None:
        """Return the left side of an assignment that also takes the tensors; None where it can't."""
        statement = taking.statement
        assert isinstance(statement, ast.Assign)
        own = [taking.text.slice(target) for target in statement.targets]
        if not self.form.is_extra:
            is_plain = all(isinstance(t, ast.Name | ast.Attribute) for t in statement.targets)
            places = [place for place in targets.places if place not in own]
            is_joined = is_plain and not targets.is_unpacked and not self.form.is_changed
            return " = ".join([*own, *places]) if is_joined else None
        if len(own) > 1:
            return None
        if isinstance(statement.targets[0], ast.Tuple):
            inner = without_parentheses(own[0])
            if inner is not None and len(inner.splitlines()) > 1 and self.form.width is not None:
                return extended(own[0], targets.places)
            bare = (inner or own[0]).rstrip(", ")
            return f"{bare}, {targets}" if self.form.width is not None else f"({bare}), {targets}"
        return f"{own[0]}, {targets}"

    def _targets(self, taking: Taking) -> tuple[_Targets, list[str]]:
        """Return the targets of the returned tensors, and the assignments after the call to their other names."""
        chosen = {
            name: [bindings.written(taking.text, place) for place in places]
            for name, places in taking.places.items()
            if places
        }
        if len(self.names) == 1 and not self.form.is_extra:
            return _Targets(tuple(chosen[self.names[0]]), is_unpacked=False), []
        firsts = tuple(chosen[name][0] if name in chosen else _unused(taking.run) for name in self.names)
        others = [f"{other} = {places[0]}" for places in chosen.values() for other in places[1:]]
        return _Targets(firsts, is_unpacked=True), others

    def _add(self, taking: Taking, *edits: Edit) -> None:
        self._edits.update((taking.path, edit) for edit in edits)


def _unused(run: Run) -> str:
    """Return `_`, or a numbered variant if that name is in use."""
    return new_name({n for n in run.scope.all_names() if n != "_"} | run.scope.read, "_")
