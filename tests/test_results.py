"""Results of earlier runs: taken where nothing has changed that they follow from, and nowhere else."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

import unplace
from unplace.analysis.project.locating import package_of
from unplace.config.options import Options
from unplace.runs import outcome as handling
from unplace.runs.cache import VARIABLE, Results, ResultsError
from unplace.runs.many import rewrite_files
from unplace.runs.outcome import Outcome

PACKAGE = {
    "pkg/__init__.py": "from .base import Base\n",
    "pkg/base.py": """
        import torch
        from .roots import Root

        class Base(Root):
            pass
    """,
    "pkg/roots.py": """
        import torch.nn as nn

        class Root(nn.Module):
            def make(self, x):
                return x * 2
    """,
    "pkg/tools.py": """
        import torch

        def scaled(x: torch.Tensor):
            return x * 2
    """,
    "pkg/shared.py": "from .tools import *\n",
    "pkg/model.py": """
        import torch
        from . import Base
        from .shared import scaled

        class Net(Base):
            def forward(self, x: torch.Tensor):
                y = self.make(x)
                z = y.exp()
                y += 1
                return z, y

        def _helper(h: torch.Tensor):
            h += 1
            return h.exp()

        def use(x: torch.Tensor):
            y = scaled(x)
            y.sigmoid_()
            y *= 2
            return y, _helper(x * 2)

        def train():
            use(torch.ones(3, requires_grad=True) * 1)
    """,
    "pkg/alone.py": """
        import torch

        def f(x: torch.Tensor):
            y = x.exp()
            y[0] = 0
            return y

        def train():
            f(torch.ones(3, requires_grad=True) * 1)
    """,
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in PACKAGE.items():
        write(tmp_path / "code" / name, text)
    return tmp_path / "code"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), "utf-8")


def files(root: Path) -> list[str]:
    return sorted(map(str, root.rglob("*.py")))


def run(root: Path, place: Path | None, options: Options | None = None) -> list[Outcome]:
    """What becomes of the files, with the results of earlier runs or without."""
    options = options or Options()
    results = Results(place, files(root), options) if place is not None else None
    outcomes = list(rewrite_files(files(root), options, 1, results))
    if results is not None:
        results.save()
    return outcomes


def told(outcomes: Sequence[Outcome]) -> Mapping[str, object]:
    return {
        o.path: (o.findings, o.edits, o.warnings, o.source, o.change and o.change.after.data, o.problem)
        for o in outcomes
    }


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are worked out."""
    names: list[str] = []
    original = handling.rewrite_bytes

    def noted(data: bytes, path: str, *rest: object) -> Outcome:
        names.append(Path(path).name)
        return original(data, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(handling, "rewrite_bytes", noted)
    return names


def test_nothing_is_worked_out_twice(root: Path, place: Path, handled: list[str]) -> None:
    first = run(root, place)
    assert len(handled) == len(PACKAGE)
    handled.clear()
    assert told(run(root, place)) == told(first) == told(run(root, None))
    assert len(handled) == len(PACKAGE)  # by the run without results


CHANGES = {
    "a function that is imported through a star": ("pkg/tools.py", "return x * 2", "return x"),
    "a base of a base": ("pkg/roots.py", "return x * 2", "return x"),
    "what a package offers": ("pkg/__init__.py", "from .base import Base", "from .roots import Root as Base"),
    "a base": ("pkg/base.py", "class Base(Root):", "class Base:"),
    "a name that was private": ("pkg/alone.py", "import torch", "import torch\nfrom pkg.model import _helper"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_follows_from_other_files_is_worked_out_again(
    root: Path, place: Path, handled: list[str], change: str
) -> None:
    name, old, new = CHANGES[change]
    run(root, place)
    path = root / name
    assert old in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    handled.clear()
    outcomes = run(root, place)
    assert "model.py" in handled
    assert name == "pkg/alone.py" or "alone.py" not in handled
    assert told(outcomes) == told(run(root, None))
    assert told(run(root, place)) == told(outcomes)


def test_a_new_file_may_be_what_an_import_means(root: Path, place: Path) -> None:
    (root / "pkg" / "tools.py").unlink()
    before = run(root, place)
    write(root / "pkg" / "tools.py", PACKAGE["pkg/tools.py"])
    after = run(root, place)
    assert told(after) == told(run(root, None))
    assert told(after) != told(before)


def test_an_unrelated_file_that_is_new_changes_no_result(root: Path, place: Path, handled: list[str]) -> None:
    run(root, place)
    write(root / "pkg" / "other.py", "import torch\n\n\ndef doubled(k):\n    k *= 2\n    return k\n")
    handled.clear()
    after = run(root, place)
    assert handled == ["other.py"]
    assert told(after) == told(run(root, None))


def test_an_edit_that_is_undone_costs_nothing(root: Path, place: Path, handled: list[str]) -> None:
    path = root / "pkg" / "tools.py"
    before = path.read_bytes()
    first = run(root, place)
    path.write_bytes(before.replace(b"return x * 2", b"return x"))
    run(root, place)
    path.write_bytes(before)
    handled.clear()
    assert told(run(root, place)) == told(first)
    assert handled == []


def test_a_folder_that_becomes_a_package_changes_what_imports_mean(root: Path, place: Path) -> None:
    (root / "pkg" / "__init__.py").unlink()
    package_of.cache_clear()
    run(root, place)
    write(root / "pkg" / "__init__.py", PACKAGE["pkg/__init__.py"])
    package_of.cache_clear()  # as in another process
    assert told(run(root, place)) == told(run(root, None))


def test_other_options_have_other_results(root: Path, place: Path) -> None:
    for options in (Options(), Options(unsafe=True), Options(select=frozenset(["UNP005"])), Options(comments=False)):
        assert told(run(root, place, options)) == told(run(root, None, options))


def test_a_file_that_changes_during_the_run_is_not_kept(root: Path, place: Path, handled: list[str]) -> None:
    results = Results(place, files(root), Options())
    for outcome in rewrite_files(files(root), Options(), 1, results):
        if outcome.path.endswith("alone.py"):
            write(root / "pkg" / "alone.py", "import torch\n")
            write(root / "pkg" / "tools.py", "import torch\n")
    results.save()
    write(root / "pkg" / "alone.py", PACKAGE["pkg/alone.py"])
    write(root / "pkg" / "tools.py", PACKAGE["pkg/tools.py"])
    handled.clear()
    assert told(run(root, place)) == told(run(root, None))
    assert {"alone.py", "tools.py", "model.py"} <= set(handled[: -len(PACKAGE)])


def test_what_failed_is_tried_again(root: Path, place: Path, handled: list[str]) -> None:
    write(root / "pkg" / "broken.py", "import torch\ny +=\n")
    for _ in range(2):
        handled.clear()
        problems = [o.problem for o in run(root, place) if o.problem is not None]
        assert [p.path.endswith("broken.py") for p in problems] == [True]
        assert "broken.py" in handled


def test_a_database_that_is_none_is_told(root: Path, place: Path) -> None:
    place.mkdir()
    (place / "results.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(ResultsError, match="can't be read"):
        run(root, place)


def test_old_results_are_forgotten(root: Path, place: Path) -> None:
    run(root, place)
    with sqlite3.connect(place / "results.sqlite") as connection:
        connection.execute("UPDATE outcomes SET used = used - 31 * 24 * 60 * 60")
    (root / "pkg" / "alone.py").unlink()
    run(root, place)
    (count,) = sqlite3.connect(place / "results.sqlite").execute("SELECT count(*) FROM outcomes").fetchone()
    assert count == len(PACKAGE) - 1


def command(
    root: Path, place: Path, *arguments: str, where: Sequence[str] = (".",)
) -> subprocess.CompletedProcess[str]:

    return subprocess.run(
        [sys.executable, "-m", "unplace", "check", *where, "--output-format", "concise", *arguments],
        cwd=root,
        env={**os.environ, VARIABLE: str(place), "PYTHONPATH": str(Path(unplace.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_commands_keep_results(root: Path, place: Path) -> None:
    first = command(root, place)
    assert (place / "results.sqlite").exists()
    second, third = command(root, place), command(root, place, "--no-cache")
    assert first.returncode == second.returncode == third.returncode == 1
    assert first.stdout == second.stdout == third.stdout != ""
    assert first.stderr == second.stderr == third.stderr


def test_one_file_is_done_without(root: Path, place: Path) -> None:
    assert command(root, place, "pkg/alone.py", where=()).returncode == 1
    assert not place.exists()


def test_without_results_none_are_written(root: Path, place: Path) -> None:
    assert command(root, place, "--no-cache").returncode == 1
    assert command(root, place, "--since", "HEAD").returncode == 2  # no repository
    assert not place.exists()


def test_a_folder_that_is_none_is_a_warning(root: Path, place: Path) -> None:
    place.write_text("a file")
    done = command(root, place)
    assert done.returncode == 1
    assert "warning: earlier results can't be read" in done.stderr
    assert "--no-cache does without" in done.stderr
    assert done.stdout == command(root, place, "--no-cache").stdout


def test_the_outcome_of_a_result_is_that_of_the_run(root: Path, place: Path) -> None:
    run(root, place)
    for known, fresh in zip(run(root, place), run(root, None), strict=True):
        assert replace(known, basis=fresh.basis) == fresh


def test_a_warning_of_a_result_names_the_cell(root: Path, place: Path) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "source": source} for source in ("x = 1", "x = 2  # unplace: ignore")
    ]
    (root / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    first, second = command(root, place), command(root, place)
    assert "n.ipynb:cell 2:1:8: unused suppression" in first.stderr
    assert first.stderr == second.stderr
