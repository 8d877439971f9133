"""Finds the same operation out of place in the other branch of a condition, which chooses between the two.

if reuse_accumulator:
    output.addcmul_(values, weight)
else:
    output = output.addcmul(values, weight)
"""

from __future__ import annotations

import ast

from unplace import torchapi
from unplace.analysis.interpret.run import Run
from unplace.analysis.interpret.writes import Write
from unplace.torchapi.arithmetic import FUNCTION_OF


def has_twin(run: Run, write: Write) -> bool:
    """Tell whether a write is all that one branch does, and the other branch does the same out of place."""
    node: ast.AST = write.node
    branch = run.parents.get(node)
    if isinstance(branch, ast.IfExp) and node in (branch.body, branch.orelse):
        other = branch.orelse if node is branch.body else branch.body
        return isinstance(node, ast.Call) and _is_same(node, other)
    outer = run.parents.get(write.statement)
    if not isinstance(outer, ast.If) or [len(outer.body), len(outer.orelse)] != [1, 1]:
        return False
    (other_branch,) = outer.orelse if outer.body == [write.statement] else outer.body
    if isinstance(node, ast.AugAssign):
        return isinstance(other_branch, ast.Assign) and _is_assigned(node, other_branch)
    value, other_value = getattr(write.statement, "value", None), getattr(other_branch, "value", None)
    return node is value and isinstance(node, ast.Call) and other_value is not None and _is_same(node, other_value)


def _is_assigned(write: ast.AugAssign, other: ast.Assign) -> bool:
    """Tell whether an assignment is an augmented one written out: `y = y + k` for `y += k`."""
    value = other.value
    if not isinstance(value, ast.BinOp) or type(value.op) is not type(write.op) or type(write.op) not in FUNCTION_OF:
        return False
    written = ast.unparse(write.target)
    is_kept = [ast.unparse(target) for target in other.targets] == [written] == [ast.unparse(value.left)]
    return is_kept and ast.dump(value.right) == ast.dump(write.value)


def _is_same(call: ast.Call, other: ast.expr) -> bool:
    """Tell whether an expression is a call of the functional method with the same receiver and arguments."""
    if not isinstance(other, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    method = torchapi.inplace_method(call.func.attr)
    if method is None or not isinstance(other.func, ast.Attribute) or other.func.attr != method.functional:
        return False
    parts = [[c.func.value, *c.args, *(k.value for k in c.keywords)] for c in (call, other)]  # type: ignore[attr-defined]
    return [*map(ast.dump, parts[0])] == [*map(ast.dump, parts[1])]
