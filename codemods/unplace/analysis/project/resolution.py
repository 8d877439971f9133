"""Resolves imported names through the files of a run, whichever way they import.

The question is one of reachability: a name of a module leads to the module's own definition, to the target of its
import, or to the modules from which everything is imported. There are finitely many modules and imported names, and
each is visited once, so the search ends on every import graph: cycles, packages that import a missing module of their
own under the name that it would define, modules that import everything from each other.
"""

from __future__ import annotations

from typing import Protocol

from unplace import torchapi
from unplace.analysis.domain.refs import Member
from unplace.analysis.project.exports import binds, defines, imports_own, reexported, starred
from unplace.analysis.project.locating import Files
from unplace.analysis.project.module import ModuleIndex

Meanings = frozenset[Member | str]

_NOTHING: Meanings = frozenset()
_ANYTHING: Meanings = frozenset([""])
"""The targets of a name bound in a way that can't be followed."""


class ImportedFiles(Protocol):
    """The files of a run, as the search uses them."""

    def locate(self, module: ModuleIndex, written: str) -> tuple[str, list[str]] | None:
        """Return the file that an imported name leads to, and the names to look up in it."""

    def module_of(self, module: ModuleIndex, written: str) -> str | None:
        """Return the file of the module from which a module imports."""

    def module_at(self, path: str) -> ModuleIndex | None:
        """Return the index of a file; None where it can't be read or parsed."""

    @property
    def files(self) -> Files:
        """The files of the run by their paths."""

    def may_offer(self, path: str, name: str) -> bool:
        """Tell whether a file from which everything is imported may have a name."""


class Resolution:
    """One search through the files of a run, which visits each name once and so ends."""

    def __init__(self, files: ImportedFiles) -> None:
        """Start a search with nothing visited."""
        self._files = files
        self._visited: dict[tuple[str, str, bool], Meanings] = {}

    def imported(self, module: ModuleIndex, written: str) -> Member | str | None:
        """Return the target of an imported name: a member of a file or a name from outside; None where unknown."""
        return _single(self._imported(module, written))

    def starred(self, module: ModuleIndex, name: str) -> Member | str | None:
        """Return the target of a name that a module can only have from `from ... import *`."""
        return _single(self._starred(module, name))

    def _imported(self, module: ModuleIndex, written: str) -> Meanings:
        assert module.place is not None
        key = (module.place.path, written, True)
        if key not in self._visited:
            self._visited[key] = _NOTHING  # a path that leads back here adds no targets
            self._visited[key] = self._found(module, written)
        return self._visited[key]

    def _found(self, module: ModuleIndex, written: str) -> Meanings:
        located = self._files.locate(module, written)
        if located is None:
            return frozenset([written]) if not written.startswith(".") else _ANYTHING
        path, names = located
        found: Meanings = frozenset([Member(path)])
        for name in names:
            found = _NOTHING.union(*(self._attribute(one, name) for one in found))
        return found

    def _attribute(self, of: Member | str, name: str) -> Meanings:
        """Return the targets of an attribute looked up on a module, or on a name from outside."""
        if isinstance(of, str):
            return frozenset([f"{of}.{name}"]) if of else _ANYTHING
        return self._member(of.path, name) if not of.name else _ANYTHING

    def _member(self, path: str, name: str) -> Meanings:
        """Return the targets of a name of a module of the run."""
        key = (path, name, False)
        if key not in self._visited:
            self._visited[key] = _NOTHING
            home = self._files.module_at(path)
            self._visited[key] = self._offered(home, path, name) if home is not None else _ANYTHING
        return self._visited[key]

    def _offered(self, home: ModuleIndex, path: str, name: str) -> Meanings:
        submodule = self._files.files.submodule(path, name)
        if binds(home, name):
            if submodule is not None and not imports_own(home, name):
                return _ANYTHING  # any import of that module rebinds the name
            imported = reexported(home, name)
            if imported is not None:
                return self._imported(home, imported)
            return frozenset([Member(path, name)]) if defines(home, name) else _ANYTHING
        return frozenset([Member(submodule)]) if submodule is not None else self._starred(home, name)

    def _starred(self, home: ModuleIndex, name: str) -> Meanings:
        """Return the targets of a name that a module has by importing everything from other modules."""
        modules = {written: self._files.module_of(home, written) for written in starred(home)}
        if not modules or name.startswith("_"):
            return _NOTHING
        if any(path is None and written.partition(".")[0] != "torch" for written, path in modules.items()):
            return _ANYTHING
        found = _NOTHING
        for written, path in modules.items():  # a later one hides what an earlier one brought
            if path is None:
                found = frozenset([f"{written}.{name}"]) if torchapi.has_name(f"{written}.{name}") else found
            elif self._files.may_offer(path, name):
                offered = self._member(path, name)
                found = offered | {one for one in found if isinstance(one, Member)} if offered else found
        return found


def _single(found: Meanings) -> Member | str | None:
    """Return the only possible target of a name; None where there are several, none, or an unknown one."""
    return next(iter(found)) or None if len(found) == 1 else None
