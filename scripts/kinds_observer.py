"""Counts, while a package runs, the types of the objects that its candidates would write.

An import hook compiles the package's modules from a changed syntax tree: the object of each candidate goes through a
probe before the operation. The files themselves aren't touched, so `inspect.getsource` and data files work as always,
and nothing is written to the byte code caches.
"""

from __future__ import annotations

import ast
import builtins
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from kinds_candidates import candidates

TENSOR = "torch.Tensor"
_PROBE = "__unplace_probe__"
_ITEM_PROBE = "__unplace_item_probe__"


class Observer:
    """The counts: for each place ("file:line:column") how often an object of which type was there."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, type]] = Counter()

    def probe(self, place: str, found: object) -> object:
        """Count an object and hand it back."""
        self._seen[place, type(found)] += 1
        return found

    def probe_item(self, place: str, holder: object, index: object) -> None:
        """Count `holder[index]`, unless the holder is a tensor, which is what is written then."""
        if self._name(type(holder)) == TENSOR:
            return
        try:
            item = holder[index]  # type: ignore[index]
        except Exception:  # the statement that follows raises it again
            return
        self._seen[place, type(item)] += 1

    def install(self, package: str) -> None:
        """Instrument the modules of a package from now on."""
        setattr(builtins, _PROBE, self.probe)
        setattr(builtins, _ITEM_PROBE, self.probe_item)
        sys.meta_path.insert(0, _Finder(package))

    def dump(self, path: Path) -> None:
        """Add the counts to a JSON file, new or not: `{place: {type: count}}`; subclasses of tensors are tensors."""
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        merged = {place: Counter(types) for place, types in known.items()}
        for (place, kind), count in self._seen.items():
            merged.setdefault(place, Counter())[self._name(kind)] += count
        path.write_text(json.dumps(merged, indent=0, sort_keys=True), encoding="utf-8")

    @staticmethod
    def _name(kind: type) -> str:
        import torch

        return TENSOR if issubclass(kind, torch.Tensor) else f"{kind.__module__}.{kind.__qualname__}"


class _Finder(MetaPathFinder):
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != self._package:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


class Stand(MetaPathFinder):
    """Stands in for packages that aren't installed: every name in them is a class that does nothing."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for the modules of these packages alone."""
        if fullname.partition(".")[0] not in self._packages:
            return None
        return ModuleSpec(fullname, _Empty(), is_package=True)


class _Empty(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class _EmptyModule(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (_Nothing,), {})
        setattr(self, name, made)
        return made


class _Nothing:
    """Takes all calls and gives nothing."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., _Nothing]:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Nothing

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, *details: object) -> None:
        pass


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path), filename=self.path)
        return compile(instrument(tree, self.path), self.path, "exec", dont_inherit=True)


def instrument(tree: ast.Module, path: str) -> ast.Module:
    """Put probes into a module; the tree is changed."""
    places = {id(c.target): f"{path}:{c.place}" for c in candidates(tree)}
    _Instrumenter(places).generic_visit(tree)
    return ast.fix_missing_locations(tree)


class _Instrumenter(ast.NodeTransformer):
    def __init__(self, places: dict[int, str]) -> None:
        self._places = places

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        place = self._places.get(id(node))
        if isinstance(node, ast.AugAssign):
            return self._augmented(node)
        visited: ast.AST = super().visit(node)
        if place is None:
            return visited
        assert isinstance(visited, ast.expr)
        return _call(_PROBE, visited, ast.Constant(place), visited)

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Probe the target in a statement before the assignment."""
        place = self._places[id(node.target)]
        target = node.target
        node.value = self.visit(node.value)  # type: ignore[assignment]
        if isinstance(target, ast.Subscript):
            return self._augmented_item(node, target, place)
        loaded: ast.expr
        if isinstance(target, ast.Name):
            loaded = ast.Name(target.id, ast.Load())
        else:
            target.value = self.visit(target.value)  # type: ignore[assignment]
            if any(isinstance(n, ast.Call | ast.NamedExpr) for n in ast.walk(target)):
                return [node]  # evaluating it twice may do something twice
            loaded = ast.Attribute(target.value, target.attr, ast.Load())
        return [_statement(_call(_PROBE, node, ast.Constant(place), loaded), node), node]

    def _augmented_item(self, node: ast.AugAssign, target: ast.Subscript, place: str) -> list[ast.stmt]:
        target.value = self.visit(target.value)  # type: ignore[assignment]
        target.slice = self.visit(target.slice)  # type: ignore[assignment]
        if any(isinstance(n, ast.Slice) for n in ast.walk(target.slice)):
            return [node]  # an item of that is a tensor, an array or a list, the same as what it is cut from
        holder, index = ast.Name("__unplace_holder__", ast.Store()), ast.Name("__unplace_index__", ast.Store())
        before: list[ast.stmt] = [
            ast.copy_location(ast.Assign([holder], target.value), node),
            ast.copy_location(ast.Assign([index], target.slice), node),
        ]
        target.value, target.slice = ast.Name(holder.id, ast.Load()), ast.Name(index.id, ast.Load())
        names = (ast.Name(holder.id, ast.Load()), ast.Name(index.id, ast.Load()))
        return [*before, _statement(_call(_ITEM_PROBE, node, ast.Constant(place), *names), node), node]


def _call(name: str, at: ast.AST, *arguments: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(arguments), []), at)


def _statement(value: ast.expr, at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Expr(value), at)
