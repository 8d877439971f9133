"""Text edits of the statements whose operations are rewritten."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass

import libcst as cst

from unplace.analysis.domain.paths import AccessPath
from unplace.text.edits import Edit
from unplace.text.positions import Text
from unplace.transform.decisions import Decision
from unplace.transform.emit import bindings, written_out
from unplace.transform.emit.layout import put_before, replace_statement, standing_alone
from unplace.transform.emit.naming import name_for
from unplace.transform.emit.snippet import Snippet, assignment, expression, without_data
from unplace.transform.functional import scatter
from unplace.transform.recipes import expressions
from unplace.transform.rule import StatementRule, is_computed_before
from unplace.transform.verdicts import Copy, Plain, Rebind, Scatter, Split


@dataclass(frozen=True, slots=True)
class Statements:
    """Turns the decisions about the statements of one module into text edits."""

    text: Text

    def edits(self, statement: ast.stmt, decisions: list[Decision]) -> tuple[Edit, ...]:
        """Return the text edits of a statement that carry out all these decisions."""
        if decisions[0].site.in_header:
            return self._header_edits(statement, decisions)
        snippet = self._snippet(statement, decisions)
        before = self._split_lines(decisions, snippet)
        scattered = [d for d in decisions if isinstance(d.verdict, Scatter)]
        if scattered:
            lines, behind = scatter.lines(self.text, scattered, snippet)
            return replace_statement(self.text, statement, [*before, *lines], behind)
        leaders = [d for d in decisions if isinstance(d.rule, StatementRule)]
        if len(leaders) > 1:
            copies = dict.fromkeys(d.verdict for d in leaders if isinstance(d.verdict, Copy))
            lines = [line for c in copies for line in bindings.cloned(self.text, c)]
            return replace_statement(self.text, statement, [*before, *lines, snippet.render(snippet.statement())], ())
        leader = leaders[0] if leaders else None
        if leader is not None:
            verdict = leader.verdict
            assert isinstance(verdict, Rebind | Copy | Plain)
            assert isinstance(leader.rule, StatementRule)
            lines = leader.rule.lines(leader.site, verdict, snippet)
            after = verdict.views if isinstance(verdict, Rebind) else verdict.after if isinstance(verdict, Copy) else ()
            return replace_statement(self.text, statement, [*before, *lines], bindings.lines(self.text, after))
        return self._expression_edits(statement, decisions, snippet, before)

    def _snippet(self, root: ast.stmt | ast.expr, decisions: list[Decision]) -> Snippet:
        """Return the source of `root` with the changes of its calls planned."""
        snippet = Snippet(self.text, root)
        for decision in decisions:
            if decision.change is not None:
                assert isinstance(decision.site.node, ast.expr)
                snippet.change(decision.site.node, decision.change)
            if decision.site.write.data is not None and decision.is_recipe:
                snippet.change(decision.site.write.data, without_data)
        return snippet

    def _header_edits(self, statement: ast.stmt, decisions: list[Decision]) -> tuple[Edit, ...]:
        """Return one edit for each expression with calls in a compound statement's header (or a lambda's body)."""
        splits = [d for d in decisions if isinstance(d.verdict, Split)]
        if splits:
            return self._before_header(statement, splits)
        groups: dict[ast.expr, list[Decision]] = {}
        for decision in decisions:
            groups.setdefault(_header_expression(statement, decision.site.node), []).append(decision)
        edits: list[Edit] = []
        for root, members in groups.items():
            snippet = self._snippet(root, members)
            edits.append(Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))
        return tuple(edits)

    def _before_header(self, statement: ast.stmt, decisions: list[Decision]) -> tuple[Edit, ...]:
        """Move a call before an `if` or `for` statement, whose header then reads the rebound name."""
        root = _header_expression(statement, decisions[0].site.node)
        snippet = self._snippet(root, decisions)
        lines = self._split_lines(decisions, snippet)
        before = put_before(self.text, statement, lines)
        return (before, Edit(snippet.start, snippet.end, snippet.render(snippet.statement())))

    def _split_lines(self, decisions: list[Decision], snippet: Snippet) -> list[str]:
        """Return the rebindings to put before the statement, and put their names in the places of the calls."""
        lines: list[str] = []
        chains: dict[Hashable, list[Decision]] = {}
        for decision in decisions:
            if isinstance(decision.verdict, Split):
                chains.setdefault(decision.fate, []).append(decision)
        for chain in chains.values():
            verdict = chain[0].verdict
            assert isinstance(verdict, Split)
            node = chain[-1].site.node
            assert isinstance(node, ast.expr)
            places = bindings.targets(self.text, verdict)
            lines.append(" = ".join((*places, standing_alone(snippet.code(snippet.node(node))))))
            lines += bindings.lines(self.text, verdict.views)
            snippet.change(node, lambda _, place=places[0]: expression(place))  # type: ignore[misc]
        return lines

    def _expression_edits(
        self, statement: ast.stmt, decisions: list[Decision], snippet: Snippet, before: list[str]
    ) -> tuple[Edit, ...]:
        recipe = next((d.verdict for d in decisions if isinstance(d.verdict, Rebind | Copy | Plain)), None)
        if isinstance(recipe, Copy | Plain):
            hoisted = self._hoist(decisions, snippet)
            chain = decisions[0].chain
            stored = written_out.call(chain, snippet) if written_out.can_be_written_out(chain) else snippet.statement()
            if isinstance(recipe, Plain):
                return replace_statement(self.text, statement, [snippet.render(stored)], ())
            lines = [*hoisted, *bindings.cloned(self.text, recipe), snippet.render(stored)]
            return replace_statement(self.text, statement, lines, bindings.lines(self.text, recipe.after))
        changed = snippet.statement()
        behind: list[str] = []
        if recipe is not None:
            behind = bindings.lines(self.text, recipe.views)
            places = bindings.targets(self.text, recipe)
            if isinstance(changed, cst.Expr):
                changed = assignment(places, changed.value, first=self._written(decisions, recipe, snippet))
            elif isinstance(changed, cst.Assign) and recipe.places:
                assert isinstance(statement, ast.Assign)
                present = {*map(AccessPath.of, statement.targets)}
                added = [code for place, code in zip(recipe.places, places, strict=True) if place not in present]
                extra = assignment(added, changed.value).targets if added else ()
                changed = changed.with_changes(targets=[*changed.targets, *extra])
        return replace_statement(self.text, statement, [*before, snippet.render(changed)], behind)

    def _written(self, decisions: list[Decision], recipe: Rebind, snippet: Snippet) -> cst.BaseExpression | None:
        """Return the rebound target as the source writes it."""
        for decision in decisions:
            target = decision.site.write.target
            if decision.verdict == recipe and AccessPath.of(target) == recipe.places[0]:
                return snippet.node(target)
        return None

    def _hoist(self, decisions: list[Decision], snippet: Snippet) -> list[str]:
        """Compute the arguments that read the written memory before it is cloned."""
        lines: list[str] = []
        taken: set[str] = set()
        for decision in decisions:
            site = decision.site
            taken |= site.run.taken_names()
            for argument in expressions.arguments_of(site) if isinstance(decision.verdict, Copy) else ():
                if not is_computed_before(site, argument):
                    continue
                name = name_for(taken, site.node, site.write.target, argument)
                taken.add(name)
                lines.append(f"{name} = {standing_alone(snippet.code(snippet.node(argument)))}")
                snippet.change(argument, lambda _, name=name: cst.Name(name))  # type: ignore[misc]
        return lines


def _header_expression(statement: ast.stmt, node: ast.AST) -> ast.expr:
    """Return the outermost expression of a statement that contains a node."""
    current: ast.AST = statement
    while not isinstance(current, ast.expr):
        current = next(c for c in ast.iter_child_nodes(current) if any(n is node for n in ast.walk(c)))
    return current
