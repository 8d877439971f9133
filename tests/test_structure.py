"""The house: dependencies in one direction, small modules and functions, rooms that say what lives in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "codemods"
PACKAGE = ROOT / "unplace"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]

MOST_LINES_OF_A_MODULE = 500
MOST_LINES_OF_A_FUNCTION = 60
MOST_MODULES_AT_THE_TOP = 8
MOST_LINES_ABOUT_A_ROOM = 5
"""Three of what lives there; a docstring's blank line and one more are no harm."""

RATCHETS = {
    "rooms of the analysis that import each other": 8,
    "functions outside of the domain that return a bool": 824,
    "definitions that tell six or more kinds of nodes apart": 62,
    "lines of the analysis": 31_371,
    "lines of the transformation": 13_741,
}
"""What may only fall: whoever lowers one of them by more than a hundredth lowers the number here, too."""
MANY_KINDS = 6


def name_of(path: Path, root: Path = ROOT) -> str:
    """Return the dotted name of a module: `unplace.rules` for `unplace/rules/__init__.py`."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.Module, module: str, is_package: bool, modules: frozenset[str]) -> set[str]:
    """Return the modules of the package that a module imports anywhere in its text.

    Imports in functions and under `TYPE_CHECKING` count. `from room import module` means the module, not the room, and
    what a room takes from its own modules is no import of the room by itself.
    """
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = module.split(".")
            start = start[: len(start) - node.level + is_package] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                found.add(inner if inner in modules else source)
    return found & modules - {module}


def imports_of(paths: list[Path], root: Path = ROOT) -> dict[str, set[str]]:
    """Return what each of the modules imports, by name."""
    modules = frozenset(name_of(path, root) for path in paths)
    return {
        name_of(path, root): imported(
            ast.parse(path.read_bytes()), name_of(path, root), path.name == "__init__.py", modules
        )
        for path in paths
    }


def circle_in(imports: dict[str, set[str]]) -> list[str]:
    """Return modules of which each imports the next one, and the first and the last are the same; [] if none do."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])[::-1]
    return []


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions of a module, methods and inner ones as well."""
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of lines of a function with its decorators."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    assert node.end_lineno is not None
    return node.end_lineno - first + 1


def test_no_module_imports_itself_through_others() -> None:
    imports = imports_of(MODULES)
    assert sum(map(len, imports.values())) > len(MODULES), "hardly an import was seen"
    circle = circle_in(imports)
    assert not circle, " -> ".join(circle)


def test_no_module_is_too_long() -> None:
    lengths = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_A_MODULE} == {}


def test_no_function_is_too_long() -> None:
    lengths = {
        f"{name_of(path)}.{node.name}": length(node)
        for path in MODULES
        for node in functions(ast.parse(path.read_bytes()))
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_A_FUNCTION} == {}


def test_few_modules_lie_at_the_top() -> None:
    assert len(top := sorted(path.name for path in PACKAGE.glob("*.py"))) <= MOST_MODULES_AT_THE_TOP, top


@pytest.mark.parametrize("path", ROOMS, ids=name_of)
def test_a_room_says_shortly_what_lives_there(path: Path) -> None:
    text = ast.get_docstring(ast.parse(path.read_bytes()))
    assert text, "it says nothing"
    assert text.splitlines()[0].endswith((".", ":")), "its first line is no whole sentence"
    assert len(text.splitlines()) <= MOST_LINES_ABOUT_A_ROOM, text


def test_every_folder_with_modules_is_a_room() -> None:
    assert {path.parent for path in MODULES} == {path.parent for path in ROOMS} | {PACKAGE}


# -- the test itself sees what it is for -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from pkg.b import B\n", "import pkg.a\n"),
        ("from pkg import b\n", "from pkg import a\n"),
        ("from . import b\n", "from .a import A\n"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg.b import B\n", "import pkg.a as other\n"),
        ("def late():\n    from .b import B\n", "class Late:\n    def f(self):\n        import pkg.a\n"),
    ],
    ids=["absolute", "from the package", "relative", "TYPE_CHECKING", "in functions"],
)
def test_a_circle_is_seen_however_it_is_written(tmp_path: Path, first: str, second: str) -> None:
    folder = tmp_path / "pkg"
    folder.mkdir()
    for name, text in {"__init__": "", "a": first, "b": second, "c": "from pkg import a\n"}.items():
        (folder / f"{name}.py").write_text(text)
    paths = sorted(folder.glob("*.py"))
    assert set(circle_in(imports_of(paths, tmp_path))) == {"pkg.a", "pkg.b"}
    (folder / "b.py").write_text("import pkg\n")
    assert circle_in(imports_of(paths, tmp_path)) == []


def test_a_room_that_imports_its_modules_stands_above_them(tmp_path: Path) -> None:
    room = tmp_path / "pkg" / "room"
    room.mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (room / "__init__.py").write_text("from .leaf import Leaf\nfrom . import leaf\n")
    (room / "leaf.py").write_text("from pkg.room import Other\n")
    paths = sorted(tmp_path.rglob("*.py"))
    assert set(circle_in(imports_of(paths, tmp_path))) == {"pkg.room", "pkg.room.leaf"}
    (room / "leaf.py").write_text("from ..room.other import Other\nfrom .. import room2\n")
    assert circle_in(imports_of(paths, tmp_path)) == []


def test_decorators_are_lines_of_a_function() -> None:
    tree = ast.parse("@first\n@second\ndef f():\n    def g():\n        pass\n    return g\n")
    assert [(node.name, length(node)) for node in functions(tree)] == [("f", 6), ("g", 2)]


def rooms_in_circles(folder: Path) -> set[str]:
    """Return the rooms of a folder each of which imports another that leads back to it."""
    prefix = name_of(folder / "__init__.py")
    leads: dict[str, set[str]] = {}
    for module, others in imports_of(sorted(folder.rglob("*.py"))).items():
        here = module.removeprefix(f"{prefix}.").split(".")[0]
        targets = {other.removeprefix(f"{prefix}.").split(".")[0] for other in others}
        leads.setdefault(here, set()).update(targets - {here})
    for middle in leads:
        for ends in leads.values():
            ends |= leads[middle] if middle in ends else set()
    return {room for room, ends in leads.items() if room in ends}


def kinds_told_apart(node: ast.AST) -> set[str]:
    """Return the kinds of syntax nodes that a definition names: `ast.Name`, `ast.Call`."""
    named = (n for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name))
    return {n.attr for n in named if getattr(n.value, "id", "") == "ast" and n.attr[:1].isupper()} - {"AST"}


def test_what_may_only_fall() -> None:
    trees = {path: ast.parse(path.read_bytes()) for path in MODULES}
    analysing = [path for path in MODULES if path.is_relative_to(PACKAGE / "analysis")]
    transforming = [path for path in MODULES if path.is_relative_to(PACKAGE / "transform")]
    both = [*analysing, *transforming]
    outside = [path for path in both if not path.is_relative_to(PACKAGE / "analysis/domain")]
    defined = [node for path in both for node in functions(trees[path])]
    found = {
        "rooms of the analysis that import each other": len(rooms_in_circles(PACKAGE / "analysis")),
        "functions outside of the domain that return a bool": sum(
            isinstance(node.returns, ast.Name) and node.returns.id == "bool"
            for path in outside
            for node in functions(trees[path])
        ),
        "definitions that tell six or more kinds of nodes apart": sum(
            len({kind for part in node.body for kind in kinds_told_apart(part)}) >= MANY_KINDS for node in defined
        ),
        "lines of the analysis": sum(path.read_text("utf-8").count("\n") for path in analysing),
        "lines of the transformation": sum(path.read_text("utf-8").count("\n") for path in transforming),
    }
    assert {what: number for what, number in found.items() if number > RATCHETS[what]} == {}
    assert {what: number for what, number in found.items() if number < RATCHETS[what] * 0.99} == {}
