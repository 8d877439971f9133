"""Imports: which qualified names imported names stand for, such as `torch.nn.functional.relu` for `F.relu`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from unplace.torchapi.modes import CANONICAL


class Imports:
    """The imports of a module and of the functions in it, except names imported as two different things."""

    def __init__(self, statements: Iterable[ast.Import | ast.ImportFrom]) -> None:
        """Index the import statements of the whole module."""
        self.names: dict[str, str] = {}
        self._modules: dict[str, str] = {}  # the module that an imported object is looked up in, by its qualified name
        conflicting: set[str] = set()
        for node in statements:
            for name, target in imported(node):
                module = module_of(node) if isinstance(node, ast.ImportFrom) else target
                if len(module) < len(self._modules.setdefault(target, module)):
                    self._modules[target] = module
                if self.names.setdefault(name, target) != target:
                    conflicting.add(name)
        for name in conflicting:
            del self.names[name]

    def module_of(self, written: str) -> str | None:
        """Return the module that an import statement names, given an imported name or an attribute looked up on it.

        Python finds that module among files alone: the names that a package defines itself don't count.
        """
        while written and written not in self._modules:
            written = written.rpartition(".")[0]
        return self._modules.get(written)


def name_for(names: Mapping[str, str], qualified: str) -> str | None:
    """Return the shortest spelling of a qualified name with these imported names, or None."""
    best: str | None = None
    for name, target in names.items():
        if qualified == target:
            return name
        if qualified.startswith(target + "."):
            written = name + qualified[len(target) :]
            if best is None or len(written) < len(best):
                best = written
    return best


def canonical(qualified: str) -> str:
    """Return the name under which the operator table lists a qualified name."""
    known = CANONICAL.get(qualified)
    if known is not None:
        return known
    if qualified.startswith("torch.nn.modules."):
        return "torch.nn." + qualified.rsplit(".", 1)[1]
    return qualified


def imported(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """Return the names that a statement binds, each with the qualified name that it stands for."""
    if isinstance(node, ast.Import):
        return [(a.asname, a.name) if a.asname else (a.name.split(".")[0], a.name.split(".")[0]) for a in node.names]
    module = "." * node.level + (f"{node.module}." if node.module else "")
    return [(a.asname or a.name, f"{module}{a.name}") for a in node.names if a.name != "*"]


def module_of(node: ast.Import | ast.ImportFrom) -> str:
    """Return the module that a statement imports, or imports from; the first of several."""
    return node.names[0].name if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
