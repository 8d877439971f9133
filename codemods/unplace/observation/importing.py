"""Imports the modules of a project instrumented; bytecode on disk is neither read nor written for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from unplace.observation.instrument import Register, instrumented

_INSTALLED = ("site-packages", "dist-packages")


class Instrumenting(MetaPathFinder):
    """Finds the modules below the folder `root`, less installed packages, and loads them instrumented."""

    def __init__(self, root: str, register: Register) -> None:
        self._root, self._register = Path(root), register

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the project; None leaves the others to Python."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or spec.origin is None:
            return None
        if self.file_of(spec.origin) is None:
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path, self)
        return spec

    def file_of(self, path: str) -> str | None:
        """Return the path of a file of the project from its root; None for other files."""
        try:
            inside = Path(path).resolve().relative_to(self._root)
        except ValueError:
            return None
        is_foreign = any(part in _INSTALLED or part.startswith(".") for part in inside.parts)
        return None if is_foreign else inside.as_posix()

    def compiled(self, data: bytes, path: str) -> CodeType:
        """Return the instrumented code of a file; where only Python's own parser can tell what is wrong, it does."""
        from importlib.util import decode_source

        file = self.file_of(path)
        if file is None:
            return compile(data, path, "exec", dont_inherit=True)
        tree = instrumented(decode_source(data), file, self._register)
        return compile(tree, path, "exec", dont_inherit=True)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, importing: Instrumenting) -> None:
        super().__init__(name, path)
        self._importing = importing

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self._importing.compiled(self.get_data(path), path)


def run_script(path: str, importing: Instrumenting) -> None:
    """Run a script as `__main__`, instrumented."""
    module = ModuleType("__main__")
    space: dict[str, Any] = module.__dict__
    space.update(__file__=path, __builtins__=sys.modules["builtins"], __loader__=None)
    sys.modules["__main__"] = module
    code = importing.compiled(Path(path).read_bytes(), path)
    exec(code, space)
