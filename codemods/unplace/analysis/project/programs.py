"""Tells whether a run sees all code that calls the functions of a file: it is a program, or belongs to an application.

A program runs something of its own, and nothing imports it. So nobody else calls its functions. An application is a
folder with a program that can't be installed: nobody else has its files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unplace.analysis.domain.refs import Class, Function, Instance, TorchModule
from unplace.analysis.domain.values import TENSOR, UNKNOWN
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.flow import blocks_of
from unplace.analysis.syntax.nodes import walk
from unplace.files.surroundings import Question

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def is_program(program: Program) -> bool:
    """Tell whether a file runs something of its own, and nothing imports it."""
    if "program" not in program.answers:
        program.answers["program"] = _runs_something(program) and not _is_imported(program.module)
    return bool(program.answers["program"])


def is_of_application(program: Program) -> bool:
    """Tell whether a file belongs to a folder with a program that can't be installed, all of which is in the run."""
    return program.module.tells(Question.APPLICATION) and program.is_among_programs(is_program)


def is_closed(program: Program) -> bool:
    """Tell whether only the code of a file itself can read the names that its top level binds."""
    return is_program(program) and not program.module.looks_names_up


def _is_imported(module: ModuleIndex) -> bool:
    place = module.place
    return not module.tells(Question.PROGRAM) or (place is not None and place.others.is_imported(place.path))


def _runs_something(program: Program) -> bool:
    """Tell whether a file, when it is run, does more than define, import and assign.

    It has a guard for being run, or a statement that calls a function or class of its own or uses a tensor or module.
    What configures others is no work of its own: `torch.manual_seed(0)`, `logger.addHandler(handler)`.
    """
    run = None
    for statement in _run_at_once(program.module.tree.body):
        if isinstance(statement, ast.If):
            if _is_guard(statement.test):
                return True
            continue
        run = run or program.run(program.module.scopes.module)
        if run is not None and any(_is_own(run, node) for node in walk(statement)):
            return True
    return False


def _run_at_once(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Iterate over the statements of a module, those in blocks included, that neither define nor assign."""
    for statement in body:
        if isinstance(statement, (*_DEFINITIONS, *_ASSIGNMENTS)):
            continue
        if isinstance(statement, ast.Expr | ast.Assert | ast.If):
            yield statement
        for _, block in blocks_of(statement):
            yield from _run_at_once(block)


def _is_guard(test: ast.expr) -> bool:
    """Tell whether a test asks whether the file is run as a program: `__name__ == "__main__"`."""
    names = {node.id for node in walk(test) if isinstance(node, ast.Name)}
    return "__name__" in names and any(isinstance(n, ast.Constant) and n.value == "__main__" for n in walk(test))


def _is_own(run: Run, node: ast.AST) -> bool:
    """Tell whether a node calls a function or class of the run, or is a tensor or a module."""
    if isinstance(node, ast.Call):
        callee = run.values.get(node.func)
        if callee is not None and isinstance(callee.ref, Function | Class):
            return True
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return False
    value = run.values.get(node)
    if value is None:
        return False
    is_tensor = value.may_be(TENSOR) and not value.may_be(UNKNOWN)
    is_module = isinstance(value.ref, TorchModule) or (isinstance(value.ref, Instance) and value.ref.of.is_module)
    return is_tensor or is_module
