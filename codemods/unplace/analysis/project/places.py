"""Finds the places of objects that code changes: attributes, and calls that make what a name stands for.

net.layers                      the attribute `layers`
layers = net.layers             the same
def shorten(layers): ...        for a parameter, what calls in the file pass: shorten(net.layers)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unplace.analysis.project.module import ModuleIndex, passed_on
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.parameters import argument_for


@dataclass(slots=True)
class Places:
    """Where the changed objects of a file are.

    `held` has those in attributes: by its name, the expressions for the objects that have it. `made` are the calls that
    make what a name stands for. `is_any`: the object may come from anywhere: a loop has drawn it, or other code passes
    it to a function that it gets, `net.apply(patch)`.
    """

    held: dict[str, list[tuple[Scope, ast.expr]]] = field(default_factory=dict)
    made: set[ast.AST] = field(default_factory=set)
    is_any: bool = False
    _seen: set[tuple[Scope, str]] = field(default_factory=set)

    def add(self, module: ModuleIndex, scope: Scope, node: ast.AST) -> None:
        """Record the places of what an expression stands for."""
        if isinstance(node, ast.Attribute):
            self.held.setdefault(node.attr, []).append((scope, node.value))
        elif isinstance(node, ast.Call):
            self.made.add(node)
        elif isinstance(node, ast.Name):
            owner = module.scopes.owner(scope, node.id)
            if owner is not None and (owner, node.id) not in self._seen:
                self._seen.add((owner, node.id))
                self._add_name(module, owner, node.id)

    def _add_name(self, module: ModuleIndex, owner: Scope, name: str) -> None:
        for source in module.bindings(owner).sources.get(name, ()):
            self.is_any |= not isinstance(source, ast.expr | ast.ClassDef)
            self.add(module, owner, source)
        if name in {parameter.arg for parameter in owner.parameters}:
            self.is_any |= owner.name in passed_on(module)
            for caller, call in module.calls_named(owner.name):
                passed = argument_for(owner, call, name)
                if passed is not None:
                    self.add(module, caller, passed)
