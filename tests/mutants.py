"""What catches a mutant of the tool, and how one is made: the words of the table in `test_mutants.py`."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import test_fixtures
import test_harm
import test_regressions
import test_torchscript
from generator.oracle import judge

TESTS = Path(__file__).parent
Raised = type[Exception] | tuple[type[Exception], ...]
Change = Callable[[Any], Any]
"""From what the tool has to what the mutant has in its place."""


@dataclass(frozen=True)
class Material:
    """A test of the suite with its arguments; `check` raises `AssertionError` where the tool is wrong."""

    name: str
    check: Callable[[Path], None]


@dataclass(frozen=True)
class Mutant:
    """One mistake, the test that catches it, and what is replaced for it: places in the tool, and what they become."""

    mistake: str
    caught_by: Material
    changes: tuple[tuple[str, Change], ...]
    raises: Raised = AssertionError


def mutant(mistake: str, caught_by: Material, place: str, becomes: Change, raises: Raised = AssertionError) -> Mutant:
    """A mutant with one change."""
    return Mutant(mistake, caught_by, ((place, becomes),), raises)


# -- what catches a mutant --------------------------------------------------------------------------------------------


def of(test: Callable[..., None], *arguments: object) -> Material:
    """A test with its parameters."""
    return Material("-".join([test.__name__, *map(str, arguments)]), lambda folder: test(*arguments))


def in_folder(test: Callable[..., None], *arguments: object) -> Material:
    """A test that is given a folder of its own."""
    return Material("-".join([test.__name__, *map(str, arguments)]), lambda folder: test(folder, *arguments))


def patching(test: Callable[[pytest.MonkeyPatch], None]) -> Material:
    """A test that replaces something itself."""

    def check(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            test(patch)

    return Material(test.__name__, check)


def within(test: Callable[[], None]) -> Material:
    """A test that runs in a folder of its own."""

    def check(folder: Path) -> None:
        outer = Path.cwd()
        os.chdir(folder)
        try:
            test()
        finally:
            os.chdir(outer)

    return Material(test.__name__, check)


def regression(name: str) -> Material:
    path = TESTS / "regressions" / f"{name}.py"

    def check(folder: Path) -> None:
        test_regressions.test_the_rewritten_program_is_right(path)
        if name not in test_regressions.CONTRADICTED + test_regressions.WIDENED:
            test_regressions.test_the_program_rewritten_with_unsafe_is_right(path)
        test_regressions.test_even_a_program_that_goes_on_failing_computes_what_it_did(path)

    return Material(f"regression {name}", check)


def fixture(name: str) -> Material:
    def check(folder: Path) -> None:
        case = test_fixtures.load(TESTS / "fixtures" / name)
        test_fixtures.test_rewriting_before_gives_after_and_the_stated_findings(case)

    return Material(f"fixture {name}", check)


def raising(name: str) -> Material:
    def check(folder: Path) -> None:
        test_harm.test_what_raises_is_harmful_and_says_why(name)
        test_harm.test_what_is_rewritten_raises_no_more(name)

    return Material(f"raises: {name}", check)


def running(name: str) -> Material:
    return Material(f"runs: {name}", lambda folder: test_harm.test_what_runs_through_is_not_harmful(name))


def scripted(name: str) -> Material:
    def check(folder: Path) -> None:
        for unsafe in (False, True):
            test_torchscript.test_what_is_compiled_goes_on_being_compiled(folder, name, unsafe)

    return Material(f"TorchScript: {name}", check)


def program(name: str, text: str, *, unsafe: bool = False) -> Material:
    """A short program, judged as generated ones are."""

    def check(folder: Path) -> None:
        verdict = judge(f"import torch\n{textwrap.dedent(text)}", unsafe=unsafe)
        assert verdict.fault is None, verdict.details

    return Material(name, check)


# -- what becomes of a function ---------------------------------------------------------------------------------------


def gives(value: object) -> Change:
    """A function that gives the same for all arguments."""
    return lambda original: lambda *arguments, **keywords: value


def is_now(value: object) -> Change:
    return lambda original: value


def edited(*pairs: tuple[str, str]) -> Change:
    """A function whose source says something else in some places."""

    def change(original: Any) -> Any:
        source = textwrap.dedent(inspect.getsource(original))
        for old, new in pairs:
            assert source.count(old) == 1, f"{old!r} isn't, or not only once, in\n{source}"
            source = source.replace(old, new)
        names: dict[str, Any] = {}
        source = f"from __future__ import annotations\n{source}"
        exec(compile(source, inspect.getfile(original), "exec"), original.__globals__, names)
        return names[original.__name__]

    return change
