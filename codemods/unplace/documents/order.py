"""Models that cells run in any order and any number of times: a notebook's program is a loop over its cells.

Code that isn't analysed, such as a cell that doesn't parse, may do anything to the names in it: it becomes a call that
takes all these names and assigns each an unknown value. The last expression of a notebook's cell is displayed, and so
it counts as read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from unplace import torchapi
from unplace.analysis.effects.model_files import ModelTexts
from unplace.analysis.project.program import Program
from unplace.documents.cells import MARK
from unplace.transform.rewriter import Programs

HEADER = f"# {MARK}{MARK}cell "
"""The beginning of the line that stands before each cell in the module."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_MAGIC = re.compile(r"\s*%%?\w+")
_WORD = re.compile(r"[^\W\d]\w*")
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_UNKNOWN = "get_ipython"
_RUNS_A_STATEMENT = re.compile(r"\s*%(?:l?prun|m?prun|memit|time|timeit)\b")
_ASSIGNED = re.compile(r"([^\W\d]\w*)\s*=(?!=)")


class AnyOrder:
    """Makes the programs of notebooks from the trees of other programs."""

    def __init__(self, programs: Programs | None, *, shows: bool = True) -> None:
        """Take the programs; `shows` says whether the last value of a cell is displayed."""
        self._programs = programs
        self._shows = shows

    def begin(self, path: str, text: str, models: ModelTexts = ()) -> Program:
        """Return the program of a notebook's module; raise `SyntaxError` where CPython can't parse it."""
        tree = _in_any_order(ast.parse(text, filename=path), text, self._shows)
        if self._programs is None:
            return Program.of(tree, text, models=models)
        return self._programs.begin(path, text, models).with_tree(tree)


def _in_any_order(tree: ast.Module, text: str, shows: bool) -> ast.Module:
    """Return the definitions of all cells, followed by a loop over the rest."""
    lines = _LINE_END.split(text)
    headers = [number for number, line in enumerate(lines, 1) if line.startswith(HEADER)]
    words = _words(tree)
    definitions: list[ast.stmt] = [statement for statement in tree.body if isinstance(statement, _DEFINITIONS)]
    loop: list[ast.stmt] = _redefined(definitions)
    for start, end in zip(headers, [*headers[1:], len(lines) + 1], strict=True):
        body = [statement for statement in tree.body if start < statement.lineno < end]
        if body and shows:
            _show(body[-1], lines)
        rest = [part for statement in body for part in _without_definition(statement)]
        loop += [_if(rest)] if rest else []
    for statement in (*definitions, *loop):
        _Opaque(lines, words).visit(statement)
    tree.body = [*definitions, *([ast.copy_location(ast.While(_call(loop[0]), loop, []), loop[0])] if loop else [])]
    return ast.fix_missing_locations(tree)


def _without_definition(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement as it is; for a definition, a use of the names in its defaults, decorators and class body."""
    if not isinstance(statement, _DEFINITIONS):
        return [statement]
    names = sorted({name for expression in _evaluated(statement) for name in _names(expression)})
    held: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    return [ast.copy_location(ast.Expr(_call(statement, held)), statement)] if held else []


def _evaluated(definition: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions that are evaluated when a function or class is defined."""
    if isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from definition.decorator_list
        yield from definition.args.defaults
        yield from (default for default in definition.args.kw_defaults if default is not None)
    elif isinstance(definition, ast.ClassDef):
        yield from definition.decorator_list
        for statement in definition.body:
            yield from _evaluated(statement) if isinstance(statement, _DEFINITIONS) else [statement]


def _names(node: ast.AST) -> Iterator[str]:
    return (name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load))


def _redefined(definitions: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements that assign something unknown to the names with several definitions; empty without any."""
    meanings: dict[str, set[object]] = {}
    for definition in definitions:
        if isinstance(definition, ast.Import):
            for alias in definition.names:
                meanings.setdefault(alias.asname or alias.name.split(".")[0], set()).add((alias.asname, alias.name))
        elif isinstance(definition, ast.ImportFrom):
            for alias in definition.names:
                source = definition.level, definition.module, alias.name
                meanings.setdefault(alias.asname or alias.name, set()).add(source)
        elif isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            meanings.setdefault(definition.name, set()).add(definition)
    several = sorted(name for name, found in meanings.items() if len(found) > 1 and not _are_one_package(found))
    if not several:
        return []
    stores: list[ast.expr] = [ast.Name(name, ast.Store()) for name in several]
    return [_if([ast.copy_location(ast.Assign(stores, _call(definitions[0])), definitions[0])])]


def _are_one_package(meanings: set[object]) -> bool:
    """Tell whether `import torch` and `import torch.nn` are the only meanings of a name."""
    return all(isinstance(meaning, tuple) and len(meaning) == 2 and meaning[0] is None for meaning in meanings)


def _if(body: list[ast.stmt]) -> ast.If:
    return ast.copy_location(ast.If(_call(body[0]), body, []), body[0])


def _show(statement: ast.stmt, lines: list[str]) -> None:
    """Make the value of a cell's last statement read, unless a semicolon suppresses its display."""
    if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant):
        assert statement.end_lineno is not None
        assert statement.end_col_offset is not None
        rest = lines[statement.end_lineno - 1].encode()[statement.end_col_offset :]
        if not rest.lstrip().startswith(b";"):
            value = statement.value
            statement.value = ast.copy_location(
                ast.Call(ast.copy_location(ast.Name("print", ast.Load()), value), [value], []), value
            )


def _words(tree: ast.Module) -> frozenset[str]:
    """Return the names and attributes that a module mentions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return frozenset(found)


class _Opaque(ast.NodeTransformer):
    """Replaces the statement that stands for a marked line by the possible effects of that line."""

    def __init__(self, lines: list[str], words: frozenset[str]) -> None:
        self._lines = lines
        self._words = words

    def visit_Pass(self, node: ast.Pass) -> ast.AST | list[ast.stmt]:
        """Replace a line, or a whole cell, that isn't analysed by its possible effects."""
        hidden = self._hidden(node.lineno)
        if not hidden:
            return node
        reads = ast.copy_location(ast.Expr(_call(node, self._named(hidden))), node)
        is_statement = _RUNS_A_STATEMENT.match(hidden) is not None
        targets = [name for name in self._words_of(hidden) if not is_statement or name in _ASSIGNED.findall(hidden)]
        if not targets:
            return reads
        stores: list[ast.expr] = [ast.Name(name, ast.Store()) for name in targets]
        return [reads, _if([ast.copy_location(ast.Assign(stores, _call(node)), node)])]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Replace the value of an assignment such as `files = !ls`."""
        hidden = self._hidden(node.lineno)
        if hidden and isinstance(node.value, ast.Constant) and node.value.value is ...:
            node.value = _call(node, self._named(hidden))
        return node

    def _hidden(self, number: int) -> str:
        """Return the text behind the marks of a line and of the marked lines that follow it directly."""
        found: list[str] = []
        for line in self._lines[number - 1 :]:
            if MARK not in line or line.startswith(HEADER) or (found and not line.startswith(f"# {MARK}")):
                break
            found.append(line.partition(MARK)[2])
        return "\n".join(found)

    def _words_of(self, hidden: str) -> list[str]:
        return sorted(
            self._words.intersection(_WORD.findall(_MAGIC.sub("", hidden, count=1) if _MAGIC.match(hidden) else hidden))
        )

    def _named(self, hidden: str) -> Iterable[ast.expr]:
        """Yield what a text mentions, as names and as attributes of something unknown.

        In-place methods only as names: handing one to unseen code would be an operation, for which there is no place.
        """
        for word in self._words_of(hidden):
            yield ast.Name(word, ast.Load())
            if torchapi.inplace_method(word) is None:
                yield ast.Attribute(ast.Name(_UNKNOWN, ast.Load()), word, ast.Load())


def _call(where: ast.stmt, arguments: Iterable[ast.expr] = ()) -> ast.Call:
    """Return a call to an unknown function."""
    return ast.copy_location(ast.Call(ast.Name(_UNKNOWN, ast.Load()), list(arguments), []), where)
