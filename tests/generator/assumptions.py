"""Whether an assumption that an edit rests on holds in a program: the program itself says so when it runs.

That nobody else holds or reads a tensor is decided by a copy: where the function gets memory of its own for it, the
program computes the same. Other assumptions are facts that are looked at while the program runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator import probing
from unplace.diagnostics.findings import Finding

Same = Callable[[str, bool], bool]
"""Whether a changed program computes what the original does; whether it leaves the same arguments is asked, too."""

Run = Callable[[str], object]
NAMED = r"`([^`]+)`"
IMPORT = "from generator import probing as _p\n"
PURPOSE = re.compile(r"autograd|gradient|\.data\b|straight-through")


@dataclass(frozen=True, slots=True)
class Case:
    """One finding of a program: `same` compares a changed text with the original, `run` runs one."""

    text: str
    finding: Finding
    same: Same
    run: Run

    def tree(self) -> ast.Module:
        """The syntax tree, anew."""
        return ast.parse(self.text)

    def statement(self, tree: ast.Module) -> ast.stmt:
        """The statement of the finding: the innermost one around its beginning."""
        position = (self.finding.line, self.finding.column - 1)
        around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and _span(n)[0] <= position < _span(n)[1]]
        return max(around, key=lambda node: _span(node)[0])

    def functions(self, tree: ast.Module) -> list[ast.FunctionDef]:
        """The functions around the finding, the innermost one first."""
        position = (self.finding.line, self.finding.column - 1)
        found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and _span(n)[0] <= position < _span(n)[1]]
        return sorted(found, key=lambda node: _span(node)[0], reverse=True)

    def copied(self, tree: ast.Module, *, for_callers: bool = False) -> bool | None:
        """Whether the changed program computes the same; None where a container was copied, and it doesn't.

        With `for_callers`, its arguments have to be the same afterwards, too.
        """
        probing.containers.clear()
        if self.same(changed(tree), for_callers):
            return True
        return None if probing.containers else False

    def noted(self, tree: ast.Module) -> bool:
        """Whether everything that the changed program notes is the case."""
        probing.notes.clear()
        self.run(changed(tree))
        return all(probing.notes)


def changed(tree: ast.Module) -> str:
    """The text of a changed tree, which may call `probing`."""
    return IMPORT + ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def holds(case: Case, assumption: str) -> bool | None:
    """Whether an assumption of the finding holds, None where that can't be said."""
    for pattern, decide in DECISIONS:
        found = pattern.fullmatch(assumption)
        if found is not None:
            try:
                return decide(case, *found.groups())
            except Exception:
                return None
    return None


def is_contradicted(case: Case, assumption: str) -> bool:
    """Whether the file itself shows the callers that an assumption about callers is made of."""
    found = re.fullmatch(rf"no caller reads the argument {NAMED} after the call", assumption)
    if found is None:
        return False
    tree = case.tree()
    if _gives_back(case, tree, found[1]):
        return False
    written = {f.name for f in case.functions(tree)[:1] if found[1] in _parameters(f)}
    shown = [n for part in tree.body if getattr(part, "name", "") != "example" for n in ast.walk(part)]
    shown += [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
    names = {n.id if isinstance(n, ast.Name) else n.attr for n in shown if isinstance(n, ast.Name | ast.Attribute)}
    return bool(written & names) or any(True for _ in _with_lambda(case, found[1]))


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    first = min((d.lineno for d in getattr(node, "decorator_list", [])), default=node.lineno)  # type: ignore[attr-defined]
    return (first, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


# -- nobody else looks ------------------------------------------------------------------------------------------------


def _argument(case: Case, name: str) -> bool | None:
    """`no caller reads the argument `x` after the call`: the function and those that call it work on copies."""
    if _gives_back(case, case.tree(), name):
        return True  # it is about callers that the file doesn't show, and there are none
    answers = [case.copied(tree) for tree in _with_lambda(case, name)]
    for number in range(len(_with_parameter(case, case.tree(), name))):
        tree = case.tree()
        function = _with_parameter(case, tree, name)[number]
        _begin(function, f"{name} = _p.fresh({name})")
        answers.append(case.copied(tree))
    if not answers or None in answers:
        return None
    return all(answers)


def _gives_back(case: Case, tree: ast.Module, name: str) -> bool:
    """Whether the edits of the finding change every call of its function: the callers get the new tensor."""
    written = {f.name for f in case.functions(tree)[:1] if name in _parameters(f)}
    uses = [n for n in ast.walk(tree) if getattr(n, "attr", getattr(n, "id", "")) in written]
    calls = {n.func: n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.func in uses}
    edited = {case.text.count("\n", 0, edit.start) + 1 for edit in case.finding.edits}
    return bool(calls) and len(calls) == len(uses) and all(call.lineno in edited for call in calls.values())


def _with_lambda(case: Case, name: str) -> Iterator[ast.Module]:
    """The tree with a copy for the parameter of the lambda around the finding."""
    tree, position = case.tree(), (case.finding.line, case.finding.column - 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and _span(node)[0] <= position < _span(node)[1] and name in _parameters(node):
            node.body = ast.parse(f"(lambda {name}: {ast.unparse(node.body)})(_p.fresh({name}))", mode="eval").body
            yield tree
            return


def _with_parameter(case: Case, tree: ast.Module, name: str) -> list[ast.FunctionDef]:
    """The functions around a finding, and those that call them, which have a parameter of this name."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    found = case.functions(tree)
    for function in found:
        found += [f for f in functions if f not in found and function.name in _called(f)]
    return [f for f in found if name in _parameters(f)]


def _called(function: ast.FunctionDef) -> set[str]:
    calls = [n.func for n in ast.walk(function) if isinstance(n, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in calls}


def _parameters(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    a = function.args
    starred = [a.vararg, a.kwarg]
    return {arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, *starred) if arg is not None}


def _begin(function: ast.FunctionDef, *lines: str) -> None:
    function.body[:0] = [statement for line in lines for statement in ast.parse(line).body]


def _place(case: Case, place: str) -> bool | None:
    """`nothing else holds the tensor in `self.h``: it is copied where the function begins, or behind its holder."""
    tree = case.tree()
    root = place.split(".")[0].split("[")[0]
    inner, *outer = case.functions(tree) or [None]  # type: ignore[list-item]
    if inner is None:
        return None
    copy = f"{place} = _p.fresh({place})"
    if root in _parameters(inner) or root == "self":
        _begin(inner, copy)
    elif _bind_after(inner, root, copy):
        pass
    elif any(root in _bound(function) | _parameters(function) for function in outer):
        _begin(inner, *([f"nonlocal {root}"] if place == root and not _declares(inner, root) else []), copy)
    else:
        _begin(inner, *([f"global {root}"] if place == root and not _declares(inner, root) else []), copy)
    return case.copied(tree, for_callers=True)


def _declares(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(n, ast.Nonlocal | ast.Global) and name in n.names for n in ast.walk(function))


def _bound(function: ast.FunctionDef) -> set[str]:
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _bind_after(function: ast.FunctionDef, name: str, line: str) -> bool:
    """Put a line behind the first statement that binds a name."""
    for body in _bodies(function):
        for position, statement in enumerate(body):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if any(isinstance(t, ast.Name) and t.id == name for target in targets for t in ast.walk(target)):
                body[position + 1 : position + 1] = ast.parse(line).body
                return True
    return False


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            value = getattr(node, field, None)
            if isinstance(value, list):
                yield value


def _result(case: Case, called: str) -> bool | None:
    """`the result of `f(...)` is a tensor that nothing else holds`: every such result is copied."""
    code = called.removesuffix("(...)")
    tree = _wrapped(case.tree(), "fresh", lambda n: isinstance(n, ast.Call) and ast.unparse(n.func) == code)
    return case.copied(tree, for_callers=True)


def _wrapped(tree: ast.Module, function: str, test: Callable[[ast.expr], bool]) -> ast.Module:
    """The tree with expressions handed to a function of `probing`."""

    class Wrap(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            is_wanted = (
                isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and test(node)
            )
            super().generic_visit(node)
            if not is_wanted:
                return node
            return ast.Call(ast.Attribute(ast.Name("_p", ast.Load()), function, ast.Load()), [node], [])  # type: ignore[list-item]

    made = Wrap().visit(tree)
    assert isinstance(made, ast.Module)
    return made


def _module_input(case: Case, word: str) -> bool | None:
    """`nobody reads the input of the module after it was called`: the module copies it, once it is told to."""
    found = case.finding
    tree = case.tree()
    statement = case.statement(tree)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute) and word == "module":
        if statement.targets[0].attr == "inplace":  # m.inplace = True
            _before(tree, statement, f"_p.copying({ast.unparse(statement.targets[0].value)})")
            return case.copied(tree)
    if word == "function" or "partial" in ast.unparse(statement):
        return None
    begin, end = (found.line, found.column - 1), (found.end_line, found.end_column - 1)
    return case.copied(_wrapped(case.tree(), "copying", lambda n: isinstance(n, ast.Call) and _span(n) == (begin, end)))


def _keeper(case: Case, called: str, line: str) -> bool | None:
    """``box` in line 3 doesn't keep the tensor`: the call gets copies; one that writes them can't be told from that."""
    tree, code = case.tree(), called.removesuffix("(...)").removesuffix("()")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno == int(line) and ast.unparse(node.func).endswith(code):
            node.args = [ast.parse(f"_p.fresh({ast.unparse(a)})", mode="eval").body for a in node.args]
    return case.copied(tree) or None


# -- facts ------------------------------------------------------------------------------------------------------------


def _is_tensor(case: Case, place: str) -> bool | None:
    tree = case.tree()
    statement = case.statement(tree)
    if isinstance(statement, ast.AugAssign) and ast.unparse(statement.target) == place:
        _before(tree, statement, f"_p.tensor({place})")
        return case.noted(tree)
    if wanted := {n for n in ast.walk(statement) if isinstance(n, ast.expr) and ast.unparse(n) == place}:
        return case.noted(_wrapped(tree, "tensor", lambda n: n in wanted))
    inner = case.functions(tree)[:1]
    if not inner or place not in _parameters(inner[0]):
        return None
    _begin(inner[0], f"_p.tensor({place})")  # the statement writes a part of it under another name
    return case.noted(tree)


def _before(tree: ast.Module, statement: ast.stmt, line: str) -> None:
    body = next(body for body in _bodies(tree) if statement in body)
    position = body.index(statement)
    body[position:position] = ast.parse(line).body


def _distinct(case: Case, place: str) -> bool | None:
    tree = case.tree()
    _before(tree, case.statement(tree), f"_p.note(_p.distinct({place}))")
    return case.noted(tree)


def _apart(case: Case, one: str, other: str) -> bool | None:
    """`a` and `b` don't share memory`: looked at before the statement, unless to evaluate them would do something."""
    places = [ast.parse(code, mode="eval").body for code in (one, other)]
    if any(isinstance(n, ast.Call) for place in places for n in ast.walk(place)):
        return None
    tree = case.tree()
    probe = f"_p.note(_p.apart({one}, {other}))"
    roots = {n.id for place in places for n in ast.walk(place) if isinstance(n, ast.Name)}
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    holding = [f for f in functions if roots <= _bound(f) | _parameters(f)]
    if case.functions(tree)[:1] and case.functions(tree)[0] not in holding and holding:  # names of a caller
        for function in holding:
            for body in [*_bodies(function)]:
                body[:] = [part for statement in body for part in (*_tried(probe), statement)]
    else:
        _before(tree, case.statement(tree), probe)
    return case.noted(tree) if _has_noted(case, tree) else None


def _tried(line: str) -> list[ast.stmt]:
    """A line that may stand where its names aren't bound yet."""
    return ast.parse(f"try: {line}\nexcept NameError: pass").body


def _has_noted(case: Case, tree: ast.Module) -> bool:
    """Whether the changed program comes to a note at all."""
    case.noted(tree)
    return bool(probing.notes)


def _filled(case: Case, place: str) -> bool | None:
    tree = case.tree()
    _before(tree, case.statement(tree), f"_p.note({place}.numel() > 0)")
    return case.noted(tree)


def _fits(case: Case, mask: str, place: str) -> bool | None:
    tree = case.tree()
    _before(tree, case.statement(tree), f"_p.note(({mask}).shape == {place}.shape)")
    return case.noted(tree)


def _even(case: Case, call: str) -> bool | None:
    return case.noted(_wrapped(case.tree(), "even", lambda n: ast.unparse(n) == call))


def _begun(case: Case, line: str) -> bool | None:
    tree = case.tree()
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and node.lineno == int(line):
            node.iter = ast.parse(f"_p.begun({ast.unparse(node.iter)})", mode="eval").body
    return case.noted(tree)


def _dtypes(case: Case, line: str) -> bool | None:
    probing.notes.clear()
    with probing.Dtypes(int(line), "before.py"):
        case.run(case.text)
    return all(probing.notes)


def _line_dtypes(case: Case, line: str, place: str) -> bool | None:
    return _dtypes(case, line)


def _dtypes_for(case: Case, place: str, line: str) -> bool | None:
    return _dtypes(case, line)


def _always(case: Case, *_: str) -> bool | None:
    return True


DECISIONS: tuple[tuple[re.Pattern[str], Callable[..., bool | None]], ...] = tuple(
    (re.compile(pattern), decide)
    for pattern, decide in (
        (rf"no caller reads the argument {NAMED} after the call", _argument),
        (rf"nothing else holds the tensor in {NAMED}", _place),
        (rf"the result of {NAMED} is a tensor that nothing else holds", _result),
        (rf"{NAMED} is a tensor that nothing else holds", _place),
        (r"nobody reads the input of the (module|container|function) after it was called", _module_input),
        (rf"{NAMED} in line (\d+) doesn't keep the tensor", _keeper),
        (rf"{NAMED} is a tensor", _is_tensor),
        (rf"no two elements of {NAMED} are the same tensor", _distinct),
        (rf"{NAMED} and {NAMED} don't share memory", _apart),
        (rf"{NAMED} isn't empty", _filled),
        (rf"the mask {NAMED} has the shape of {NAMED}", _fits),
        (rf"the pieces of {NAMED} are of one size", _even),
        (r"the loop in line (\d+) runs at least once", _begun),
        (rf"the operands of line (\d+) don't have a wider dtype than {NAMED}", _line_dtypes),
        (rf"{NAMED} has the dtype of the result in line (\d+)", _dtypes_for),
        (rf"what is stored in line (\d+) has the shape, dtype and device of a slot of {NAMED}", _line_dtypes),
        (rf"no code outside this file calls {NAMED}", _always),
    )
)  # fmt: skip
