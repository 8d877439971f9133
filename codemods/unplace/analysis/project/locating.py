"""Finds the file of a run that a dotted module name refers to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple


class Module(NamedTuple):
    """The question for the file of a module, by its name relative to a folder."""

    root: str
    parts: tuple[str, ...]


class Root(NamedTuple):
    """The question for the folder in which an absolute import starts."""

    own: str
    package: tuple[str, ...]
    first: str


class Package(NamedTuple):
    """The question for the package whose modules are in a folder."""

    folder: str


Location = Module | Package | Root


class Files:
    """The files of a run, organised by the packages that they form."""

    def __init__(self, paths: frozenset[str], note: Callable[[Location], None] = lambda _: None) -> None:
        """Start with the absolute paths of the files; `note` is told of each question."""
        self.paths = paths
        self._note = note
        self._roots: dict[tuple[str, str], str | None] = {}

    def file(self, root: str, parts: Sequence[str]) -> str | None:
        """Return the file of a package or module, given its name relative to a folder; None where the run has none."""
        self._note(Module(root, tuple(parts)))
        start = "/".join([root.rstrip("/"), *parts])
        return next((path for path in (f"{start}/__init__.py", f"{start}.py") if path in self.paths), None)

    def submodule(self, path: str, name: str) -> str | None:
        """Return the file of a module of the package whose `__init__.py` is at `path`; None where the run has none."""
        return self.file(path.removesuffix("/__init__.py"), [name]) if path.endswith("/__init__.py") else None

    def root(self, own: str, package: Sequence[str], first: str) -> str | None:
        """Return the folder in which an absolute import starts; None where several may be meant, or none of the run.

        `own` is the folder from which the importing module's own `package` is imported.
        """
        if package and package[0] == first:
            return own
        self._note(Root(own, tuple(package), first))
        key = (own, first)
        if key not in self._roots:
            above = {own, *map(str, Path(own).parents)}
            found = [root for root in above | self._package_roots if self._is_in(root, first)]
            self._roots[key] = found[0] if len(found) == 1 else None
        return self._roots[key]

    def package(self, folder: str) -> tuple[str, ...]:
        """Return the package whose modules are in a folder; empty where the folder has no `__init__.py`."""
        self._note(Package(folder))
        return package_of(folder)

    def answer(self, location: Location) -> object:
        """Return the answer to a question."""
        if isinstance(location, Package):
            return self.package(*location)
        return self.file(*location) if isinstance(location, Module) else self.root(*location)

    def _is_in(self, root: str, name: str) -> bool:
        start = f"{root.rstrip('/')}/{name}"
        return f"{start}.py" in self.paths or start in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(str(folder) for path in self.paths for folder in Path(path).parents)

    @cached_property
    def _package_roots(self) -> frozenset[str]:
        """The folders that contain the packages of the run."""
        inits = [Path(path).parent for path in self.paths if path.endswith("/__init__.py")]
        return frozenset(str(folder.parents[len(package_of(str(folder))) - 1]) for folder in inits)


@cache
def package_of(folder: str) -> tuple[str, ...]:
    """Return the package whose modules are in a folder; empty where the folder has no `__init__.py`."""
    path = Path(folder)
    return (*package_of(str(path.parent)), path.name) if (path / "__init__.py").exists() else ()
