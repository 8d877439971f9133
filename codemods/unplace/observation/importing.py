"""Imports the modules of a project instrumented.

Bytecode on disk is neither read nor written for them; modules without an operation are imported as always.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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

    def compiled(self, data: bytes, path: str) -> CodeType | None:
        """Return the instrumented code of a file, which may raise `SyntaxError`; None for one with nothing to tell."""
        from importlib.util import decode_source

        file = self.file_of(path)
        if file is None:
            return None
        numbers: list[int] = []

        def register(*operation: Any) -> int:
            numbers.append(self._register(*operation))
            return numbers[-1]

        with _without_collection():
            tree = instrumented(decode_source(data), file, register)
            return compile(tree, path, "exec", dont_inherit=True) if numbers else None


@contextmanager
def _without_collection() -> Iterator[None]:
    """Let no collector run: it would go through the tree, and through the program's objects, several times."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, importing: Instrumenting) -> None:
        super().__init__(name, path)
        self._importing = importing

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        code = self._importing.compiled(self.get_data(path), path)
        return code if code is not None else super().get_code(fullname)


def run_script(path: str, importing: Instrumenting) -> None:
    """Run a script as `__main__`, instrumented."""
    module = ModuleType("__main__")
    space: dict[str, Any] = module.__dict__
    space.update(__file__=path, __builtins__=sys.modules["builtins"], __loader__=None)
    sys.modules["__main__"] = module
    data = Path(path).read_bytes()
    exec(importing.compiled(data, path) or compile(data, path, "exec", dont_inherit=True), space)
