"""Modules made with `inplace=True`: judged by what stands before them, or by every call in the file."""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.program import Program
from unplace.analysis.run import Run
from unplace.analysis.scopes import Scope
from unplace.rules.arguments import drop_argument
from unplace.rules.judging import kind_assumptions
from unplace.rules.snippet import Change
from unplace.rules.verdicts import Inline, Refuse, Verdict
from unplace.sites import Site, runs
from unplace.torchapi import Result, View


def constructors(program: Program) -> list[tuple[Run, ast.Call, str]]:
    """All calls that make a module with `inplace=True`, with the qualified name of the module's class."""
    found: list[tuple[Run, ast.Call, str]] = []
    for run in runs(program):
        for node in run.values:
            if isinstance(node, ast.Call):
                qualified = program.qualified(run.scope, node.func)
                module = torchapi.module(qualified) if qualified is not None else None
                if qualified is not None and module is not None and _has_flag(node, module.inplace):
                    found.append((run, node, qualified))
    return found


def _has_flag(node: ast.Call, position: int | None) -> bool:
    if position is None:
        return False
    given = next((k.value for k in node.keywords if k.arg == "inplace"), None)
    if given is None and position < len(node.args):
        given = node.args[position]
    return isinstance(given, ast.Constant) and given.value is True


def decide(program: Program, run: Run, node: ast.Call, qualified: str, calls: list[Site]) -> Verdict:
    """Whether dropping the flag can be noticed; `calls` are the calls of this module that the file shows."""
    module = torchapi.module(qualified)
    assert module is not None
    if module.ignores_inplace:
        return Inline(())
    before = predecessor(program, run.scope, node)
    if before is not None:
        return before
    if not calls:
        return Inline(("nobody reads the input of the module after it was called",))
    assumptions: list[str] = []
    for site in calls:
        observers = site.observers("")
        if observers.blockers:
            return Refuse(observers.blockers[0])
        if observers.together or observers.views:
            name = observers.together[0] if observers.together else observers.views[0].name
            return Refuse(f"`{name}` is read after the module overwrote it in line {site.node.lineno}")  # type: ignore[attr-defined]
        assumptions += [*kind_assumptions(site), *observers.assumptions]
    return Inline(tuple(dict.fromkeys(assumptions)))


def predecessor(program: Program, scope: Scope, node: ast.Call) -> Verdict | None:
    """The verdict that the layer before the module in the same Sequential or list gives; None if it stands alone."""
    for parent in ast.walk(scope.node):
        elements: list[ast.expr] | None = None
        if isinstance(parent, ast.Call) and node in parent.args:
            if program.qualified(scope, parent.func) != "torch.nn.Sequential":
                return None
            elements = parent.args
        elif isinstance(parent, ast.List | ast.Tuple) and node in parent.elts:
            elements = parent.elts
        if elements is None:
            continue
        index = elements.index(node)
        if index == 0:
            return Inline(("nobody reads the input of the container after it was called",))
        return _after(program, scope, elements, index)
    return None


def _after(program: Program, scope: Scope, elements: list[ast.expr], index: int) -> Verdict:
    """What the layers before position `index` say, passing over those that may hand their input on."""
    for before in reversed(elements[:index]):
        if not isinstance(before, ast.Call):
            break
        qualified = program.qualified(scope, before.func)
        module = torchapi.module(qualified) if qualified is not None else None
        if module is None:
            break
        if module.view is View.NEVER and module.result is Result.TENSOR and not _has_flag(before, module.inplace):
            return Inline(())
    return Inline((f"`{ast.unparse(elements[index - 1])}` returns a tensor that nothing else holds",))


def calls_of(sites: list[Site]) -> dict[ast.Call, list[Site]]:
    """The calls of modules, by the constructor call of the module."""
    found: dict[ast.Call, list[Site]] = {}
    for site in sites:
        if site.write.source is not None:
            found.setdefault(site.write.source, []).append(site)
    return found


def without_flag(qualified: str) -> Change:
    """The constructor call without `inplace`."""
    module = torchapi.module(qualified)
    assert module is not None
    return drop_argument(module.inplace, "inplace")
