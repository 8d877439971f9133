"""Runs any package: its tests if there are some, the examples in its description, and whatever guesses fit."""

from __future__ import annotations

import os
import re
import sys
import types
from functools import partial
from importlib import metadata
from pathlib import Path
from textwrap import dedent

import torch
from kinds_exercise import Session, generic, submodules

_BLOCK = re.compile(r"```(?:py|python)\n(.*?)```", re.DOTALL)
_SKIPPED = (".tests", ".test_", "conftest", "setup")
_LONGEST = 30.0


def drive(session: Session, package: str, tests: Path | None) -> None:
    """Tests first, as they say best how the package is used."""
    if tests is not None:
        _test(session.part(0.6), tests)
    _describe(session.part(0.3), package)
    generic(session, list(submodules(session, package, skip=_SKIPPED)))


def _test(session: Session, tests: Path) -> None:
    """Run a folder of tests in the session's order until its time is over."""
    import pytest

    class Plugin:
        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            session.shuffle(items)

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.when == "call":
                session.outcomes[f"tests: {report.outcome}"] += 1

        def pytest_runtest_setup(self, item: pytest.Item) -> None:
            if session.is_over:
                pytest.exit("no time left", 0)

    sys.path.append(str(tests.parent))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "--continue-on-collection-errors", "--disable-warnings"]
    limits = ["-p", "pytest_timeout", f"--timeout={4 * _LONGEST:.0f}", "--tb=no", "--no-summary"]
    pytest.main([*options, *limits, f"--rootdir={tests}", str(tests)], plugins=[Plugin()])


def _describe(session: Session, package: str) -> None:
    """Run the code of the description (the README) block by block, with the names of the blocks before."""
    names: dict[str, object] = {"torch": torch}
    for distribution in metadata.packages_distributions().get(package, ())[:1]:
        text = str(metadata.metadata(distribution).get_payload())
        for block in _BLOCK.findall(text):
            session.attempt("description", partial(_run_block, dedent(block), names), _LONGEST)


def _run_block(source: str, names: dict[str, object]) -> types.ModuleType | bool:
    exec(compile(source, "description", "exec"), names)
    return True
