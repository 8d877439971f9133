"""Several stores in one statement: each gets a statement of its own, which the next round can rewrite or collect.

for t in range(steps):                              for t in range(steps):
    h[t + 1], c[t + 1] = cell(x[t], h[t], c[t])         h_step, c_step = cell(x[t], h[t], c[t])
                                                        h[t + 1] = h_step
                                                        c[t + 1] = c_step
"""

from __future__ import annotations

import ast

from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.findings import Harm
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit.layout import new_name, replace_statement
from unplace.transform.recipes.collect import is_filled
from unplace.transform.verdicts import SEVERAL, Aside, Copy, Refuse


def filling(decisions: list[Decision], text: Text) -> Aside | None:
    """Return the edits that take the stores of a statement apart, if its loop fills each of the tensors in order."""
    return apart(decisions, text, "step") if all(is_filled(decision.site) for decision in decisions) else None


def apart(decisions: list[Decision], text: Text, suffix: str = "value") -> Aside | None:
    """Return the edits that take the harmful stores of a statement to several tensors apart."""
    site = decisions[0].site
    statement = site.statement
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1 or len(decisions) < 2:
        return None
    (target,) = statement.targets
    if not isinstance(target, ast.Tuple) or not all(isinstance(e, ast.Subscript) for e in target.elts):
        return None
    if [d.site.node for d in decisions] != target.elts or text.indentation(text.span(statement)[0]) is None:
        return None
    if not all(map(_is_open, decisions)):
        return None
    names = [d.site.write.target.id for d in decisions if isinstance(d.site.write.target, ast.Name)]
    if len({*names}) < len(decisions):
        return None
    taken = site.run.taken_names()
    made = []
    for name in names:
        made.append(new_name(taken, f"{name}_{suffix}"))
        taken.add(made[-1])

    def source(node: ast.expr) -> str:
        start, end = text.span(node)
        return text.text[start:end]

    stores = [f"{source(element)} = {name}" for element, name in zip(target.elts, made, strict=True)]
    edits = replace_statement(text, statement, [f"{', '.join(made)} = {source(statement.value)}"], stores)
    return Aside(edits, Rewrite.STORES_APART(names=" and ".join(f"`{name}`" for name in names)))


def _is_open(decision: Decision) -> bool:
    """Tell whether a harmful store would get a clone in every round, or none because there are several."""
    verdict = decision.verdict
    is_refused = isinstance(verdict, Refuse) and verdict.reason.kind in SEVERAL
    return (is_refused or isinstance(verdict, Copy)) and decision.site.harm()[0] is Harm.HARMFUL
