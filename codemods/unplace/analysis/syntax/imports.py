"""What imported names stand for: `F.relu` is `torch.nn.functional.relu`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from unplace.torchapi.modes import CANONICAL


class Imports:
    """The imports of a module and of the functions in it; a name imported as two different things is forgotten."""

    def __init__(self, statements: Iterable[ast.Import | ast.ImportFrom]) -> None:
        """`statements` are the import statements of the whole module."""
        self.names: dict[str, str] = {}
        self._modules: dict[str, str] = {}  # where what is imported is looked up, by what is imported
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
        """The module that an import statement names, for an imported name or what is looked up on it.

        Python finds it among files alone: a package's own names don't count.
        """
        while written and written not in self._modules:
            written = written.rpartition(".")[0]
        return self._modules.get(written)


def name_for(names: Mapping[str, str], qualified: str) -> str | None:
    """How a qualified name can be written with these imported names; the shortest way, or None."""
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
    """The name under which the operator table knows a qualified name."""
    known = CANONICAL.get(qualified)
    if known is not None:
        return known
    if qualified.startswith("torch.nn.modules."):
        return "torch.nn." + qualified.rsplit(".", 1)[1]
    return qualified


def imported(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """The names that a statement binds, with what they stand for."""
    if isinstance(node, ast.Import):
        return [(a.asname, a.name) if a.asname else (a.name.split(".")[0], a.name.split(".")[0]) for a in node.names]
    module = "." * node.level + (f"{node.module}." if node.module else "")
    return [(a.asname or a.name, f"{module}{a.name}") for a in node.names if a.name != "*"]


def module_of(node: ast.Import | ast.ImportFrom) -> str:
    """The module that a statement imports, or from which it imports; the first of several."""
    return node.names[0].name if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
