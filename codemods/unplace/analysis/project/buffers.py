"""Tells which buffers never get a graph: they are registered, and nothing in sight assigns or writes them.

self.register_buffer("window", torch.hann_window(n))
y = x * self.window                     saves the window, and not `x`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unplace.analysis.domain.refs import Class
from unplace.analysis.project.module import ModuleIndex, home, once
from unplace.analysis.syntax.nodes import walk
from unplace.diagnostics.forms import target_of


def is_constant(classes: Iterable[Class], name: str) -> bool:
    """Tell whether a buffer of some related classes is only read, as far as their files show."""
    return not any(name in cls.assigned or name in _changed(home(cls.scope)) for cls in classes)


@once
def _changed(module: ModuleIndex) -> frozenset[str]:
    """Return the attributes that code may write in place, under their own names or under others.

    self.mean.mul_(0.9)                     mean = self.mean
                                            mean.mul_(0.9)
    """
    found: set[str] = set()
    for scope in module.scopes.by_node.values():
        if not scope.suspects:
            continue
        written = [target for node in scope.suspects if (target := target_of(node)) is not None]
        renamed = [node.value for node in scope.of(ast.Assign)]
        handed = [
            argument for call in scope.of(ast.Call) for argument in call.args if isinstance(argument, ast.Attribute)
        ]
        found.update(node.attr for part in (*written, *renamed, *handed) for node in _stored(part))
    return frozenset(found)


def _stored(part: ast.expr) -> Iterable[ast.Attribute]:
    """Return the attributes whose memory a place, or what a name is bound to, may be."""
    if isinstance(part, ast.BinOp | ast.Compare | ast.Constant):
        return []
    return [node for node in walk(part) if isinstance(node, ast.Attribute)]
