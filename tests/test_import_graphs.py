"""Names are followed through any import graph to an end: cycles, star imports, missing modules, shadowed ones."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unplace.analysis.domain.refs import Member
from unplace.analysis.project.files import Project
from unplace.config.options import Options
from unplace.runs.many import rewrite_files

NAMES = ("alpha", "beta", "gamma")
MODULES = ("alpha", "beta", "delta", "omega")  # some are named as what they define


def graph(seed: int) -> dict[str, str]:
    """The files of a package whose modules import from each other, from packages in it, and from missing modules."""
    draw = random.Random(seed)
    places = ["__init__.py", *(f"{m}.py" for m in MODULES if draw.random() < 0.7)]
    if draw.random() < 0.6:
        places += ["sub/__init__.py", *(f"sub/{m}.py" for m in MODULES if draw.random() < 0.5)]
    files = {}
    for place in places:
        lines = [_import(draw, "/" in place) for _ in range(draw.randint(1, 3))]
        lines += [f"def {name}(x):\n    return x.exp()\n" for name in NAMES if draw.random() < 0.2]
        draw.shuffle(lines)
        files[place] = "\n".join([*lines, ""])
    used = "\n".join(f"    y += {name}(x)" for name in NAMES)
    files["main.py"] = (
        f"import torch\nfrom . import *\nfrom .delta import *\n\n\ndef f(x):\n    y = x.exp()\n{used}\n    return y\n"
    )
    return files


def _import(draw: random.Random, is_inner: bool) -> str:
    module = draw.choice([*MODULES, "sub", "missing", *(f"sub.{m}" for m in MODULES), ""])
    dots = draw.choice(["..", "."]) if is_inner else "."
    name, other = draw.choice(NAMES), draw.choice([*NAMES, *MODULES])
    start = draw.choice([f"from {dots}{module}", f"from pkg.{module}".rstrip(".")])
    return f"{start} import {draw.choice(['*', name, f'{name} as {other}', other])}"


def write(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = folder / "pkg" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return sorted(map(str, folder.rglob("*.py")))


@pytest.mark.parametrize("seed", range(60))
def test_every_name_of_a_generated_graph_is_followed_to_an_end(tmp_path: Path, seed: int) -> None:
    paths = write(tmp_path, graph(seed))
    found = list(rewrite_files(paths, Options(), 1))
    assert [outcome.problem for outcome in found if outcome.problem] == []


@pytest.mark.parametrize("seed", range(60))
def test_what_a_name_stands_for_depends_on_no_order(tmp_path: Path, seed: int) -> None:
    paths = write(tmp_path, graph(seed))
    answers = []
    for order in (paths, paths[::-1]):
        project = Project(paths)
        found = {}
        for path in order:
            index = project.module_at(path)
            assert index is not None
            for written in sorted({*index.imports.names.values()}, reverse=order is paths):
                found[path, written] = project.find(index, written)
        answers.append(found)
    assert answers[0] == answers[1]


@pytest.fixture
def imported(tmp_path: Path) -> Iterator[Path]:
    """A folder from which `pkg` can be imported, while the test runs."""
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))


@pytest.mark.parametrize("seed", range(300))
def test_what_is_found_is_what_python_finds(imported: Path, seed: int) -> None:
    paths = write(imported, {n: text for n, text in graph(seed).items() if n != "main.py"})
    project = Project(paths)
    importlib.invalidate_caches()
    for path in paths:
        index = project.module_at(path)
        module = ".".join(Path(path).relative_to(imported).with_suffix("").parts).removesuffix(".__init__")
        assert index is not None
        try:
            python = importlib.import_module(module)
        except (ImportError, RecursionError):
            continue
        for name, written in index.imports.names.items():
            found = project.find(index, written)
            meant = getattr(python, name, None)
            if isinstance(found, Member) and found.name and name not in index.scopes.module.assigned:
                assert callable(meant), (path, name, written, found)
                assert (meant.__name__, meant.__code__.co_filename) == (found.name, found.path)


def test_a_missing_module_that_defines_the_name_of_its_package_leads_nowhere(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from .aggregate_cpu import aggregate as aggregate_cpu\n\n\ndef aggregate(x):\n    return x\n",
        "main.py": "from pkg import aggregate, aggregate_cpu\n",
    }
    paths = write(tmp_path, files)
    project = Project(paths)
    index = project.module_at(paths[1])
    assert index is not None
    assert project.find(index, "pkg.aggregate") == Member(paths[0], "aggregate")
    assert project.find(index, "pkg.aggregate_cpu") == "pkg.aggregate_cpu"


def test_a_method_is_looked_up_as_python_does_where_two_bases_have_one_ancestor(tmp_path: Path) -> None:
    layers = ""
    for n in range(40):
        bases = f"L{n - 1}, R{n - 1}" if n else ""
        layers += (
            f"class L{n}({bases}):\n    pass\n\nclass R{n}({bases}):\n    def last(self, x):\n        return x\n\n"
        )
    paths = write(tmp_path, {"__init__.py": "", "main.py": f"{layers}\nclass Top(L39, R39):\n    pass\n"})
    path = paths[1]
    program = Project(paths).begin(path, Path(path).read_text())
    top = next(cls for node, cls in program.module.classes.items() if node.name == "Top")
    found = program.methods(top, "last").only
    assert found is not None
    assert found.owner is not None
    assert found.owner.node.name == "R39"
