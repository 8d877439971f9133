"""Refuses operations that classes of the run define anew, where the written object may be one of theirs.

class Quaternion(torch.Tensor):             class Value:
    def __mul__(self, other): ...               def __iadd__(self, other): ...

q *= p      multiplies the elements         v += 1      of an unknown `v`
"""

from __future__ import annotations

import ast

from unplace.analysis.interpret.own_operators import methods_of
from unplace.analysis.interpret.writes import Write
from unplace.analysis.types.own_methods import is_of_tensor_class, is_operator_of_object
from unplace.diagnostics.forms import WriteKind
from unplace.diagnostics.refusals import Refusal
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse


def defined_anew(site: Site) -> Refuse | None:
    """Return the refusal of an operation that a class defines, in place or out of place; None where none does."""
    names, module = _methods(site.write), site.program.module
    if is_of_tensor_class(module, names):
        return Refuse(Refusal.REDEFINED(name=site.name))
    is_certain = site.value.is_tensor and not site.value.likely
    if not is_certain and isinstance(site.write.node, ast.AugAssign) and is_operator_of_object(module, names):
        return Refuse(Refusal.POSES(name=site.name))
    return None


def _methods(write: Write) -> frozenset[str]:
    """Return the names of the methods that a write and its functional form call."""
    if isinstance(write.node, ast.AugAssign):
        return methods_of(write.node.op)
    if write.kind is WriteKind.METHOD:
        return frozenset((write.name, write.name.rstrip("_")))
    return frozenset(("__setitem__",)) if write.kind is WriteKind.STORE else frozenset()
