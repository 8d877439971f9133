"""Explanations of the in-place operations on a line: the facts about each, its verdict, and its edit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unplace import torchapi
from unplace.analysis.domain.gradmode import GradMode
from unplace.analysis.domain.state import State
from unplace.analysis.domain.values import NAMESPACE, UNKNOWN, UNKNOWN_VALUE, Origin, Value
from unplace.analysis.project.program import Program
from unplace.analysis.queries.aliases import Alias, aliases
from unplace.analysis.syntax.bindings import last_name
from unplace.analysis.syntax.nodes import own_nodes
from unplace.analysis.syntax.scopes import Scope
from unplace.analysis.types.provenance import Evidence, evidence, kind_in_words
from unplace.config import suppressions
from unplace.config.options import Options
from unplace.config.suppressions import Suppressions
from unplace.diagnostics.catalogue import Holder
from unplace.diagnostics.findings import Finding
from unplace.diagnostics.forms import WRITERS, first_argument, target_of
from unplace.diagnostics.reasons import Line, Reason
from unplace.observation.facts import FileFacts
from unplace.text.positions import Text
from unplace.text.trees import parsed
from unplace.transform.collecting import collect
from unplace.transform.filter import Filter
from unplace.transform.observed import told
from unplace.transform.recipes.return_and_rebind import Callers
from unplace.transform.report import saver
from unplace.transform.rewriter import Programs, rewrite_text
from unplace.transform.sites import Site


@dataclass(frozen=True, slots=True, order=True)
class Saver:
    """An operation that saved the memory for backward, certainly or, where its effect is unknown, possibly."""

    line: int
    operation: str
    certain: bool
    file: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One in-place operation, and everything that decides about it.

    `saved` are the earlier operations that may have saved the memory for backward, `holders` the references out of
    sight through which the tensor may be seen, `finding` is the verdict; for a module with `inplace=True` it is placed
    at the constructor. `ignored_by` is the line of a comment that ignores the operation, whatever the verdict, and
    `observed` is what runs showed.
    """

    line: int
    column: int
    code: str
    form: str
    target: str
    kind: str
    evidence: tuple[Evidence, ...]
    aliases: tuple[Alias, ...]
    saved: tuple[Saver, ...]
    holders: tuple[Reason, ...]
    grad_mode: str
    finding: Finding | None
    ignored_by: int | None
    observed: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """Code written like an in-place operation that isn't one as far as is known, and the reason."""

    line: int
    column: int
    code: str
    target: str
    kind: str
    reason: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class LineReport:
    """Everything that is known about the operations on a line.

    `others` are findings about modules with `inplace=True` that the file never calls.
    """

    explanations: tuple[Explanation, ...]
    others: tuple[Finding, ...]
    candidates: tuple[Candidate, ...]


def explain(
    text: str,
    path: str,
    options: Options,
    line: int,
    column: int | None = None,
    programs: Programs | None = None,
    known: Sequence[Finding] = (),
) -> LineReport:
    """Explain the operations on a line (from 1), or those at a column of it (from 1, in characters).

    Where the options name changed lines, the outcome for operations elsewhere isn't considered. `known` are findings
    of a run that saw more, whose verdicts count. Raises `SyntaxError` where CPython's parser does.
    """
    models = options.models
    program = Program.of(parsed(text), text, models=models) if programs is None else programs.begin(path, text, models)
    source = Text(text)
    everything = options.unfiltered()
    findings = _joined(known, rewrite_text(text, path, everything, programs).findings)
    lines = None if options.changed is None else options.changed.get(path)
    facts = options.facts.about(path, text) if options.facts is not None else FileFacts()
    wanted = Filter(options.wanted(path), lines=lines, observed=facts)
    sites = collect(program, Callers(program, source, options), options, wanted.reaches, wanted.facts)
    candidates = [(scope, node) for scope, node in _candidates(program, sites) if _is_at(node, node, line)]
    sites = [site for site in sites if any(_is_at(node, statement, line) for node, statement in _places(site))]
    if column is not None:
        sites = [s for s in sites if any(_covers(source, n, line, column) for n, _ in _places(s))] or sites
        candidates = [pair for pair in candidates if _covers(source, pair[1], line, column)] or candidates
    comments = suppressions.read(text)
    explained = tuple(_explanation(source, site, findings, comments) for site in sites)
    told = [explanation.finding for explanation in explained]
    return LineReport(
        explained,
        tuple(f for f in findings if f.line <= line <= f.end_line and f not in told),
        tuple(_candidate(program, source, scope, node) for scope, node in candidates),
    )


def _joined(known: Sequence[Finding], found: Sequence[Finding]) -> list[Finding]:
    """Return findings, and in place of those of operations that are known the known ones."""
    told = {(finding.line, finding.column, finding.end_column, finding.form) for finding in known}
    return [*known, *(f for f in found if (f.line, f.column, f.end_column, f.form) not in told)]


def _places(site: Site) -> list[tuple[ast.AST, ast.AST]]:
    """Return the operation with its statement, and the constructor call of the module that performs it, if any."""
    source = site.write.source
    return [(site.node, site.statement), *([(source, source)] if source is not None else [])]


def _is_at(node: ast.AST, statement: ast.AST, line: int) -> bool:
    """Tell whether the line has a part of the operation, or of the simple statement that contains it."""
    where = node if hasattr(statement, "body") else statement
    return bool(where.lineno <= line <= where.end_lineno)  # type: ignore[attr-defined]


def _covers(source: Text, node: ast.AST, line: int, column: int) -> bool:
    start, end = (source.place(offset) for offset in source.span(node))
    return start <= (line, column) < end


# -- operations ---------------------------------------------------------------------------------------------------


def _explanation(source: Text, site: Site, findings: list[Finding], comments: Suppressions) -> Explanation:
    write = site.write
    finding = _finding(source, site, findings)
    line, column = source.place(source.span(site.node)[0])
    live = site.live()
    return Explanation(
        line,
        column,
        _first_line(source, site.node),
        site.form.value,
        site.name,
        kind_in_words(UNKNOWN_VALUE if site.write.is_unclear else site.value),
        tuple(evidence(site.run, write.target, site.state, site.node)),
        tuple(aliases(site.run, site.state, site.value, site.name, site.statement, live)),
        tuple(_saved(site, finding)),
        tuple(_holders(site)),
        _grad_mode(site),
        finding,
        comments.line_for(finding) if finding is not None else None,
        tuple(told(site.facts)) if site.facts is not None else (),
    )


def _first_line(source: Text, node: ast.AST) -> str:
    lines = source.slice(node).splitlines()
    return lines[0] if len(lines) == 1 else f"{lines[0]} ..."


def _saved(site: Site, finding: Finding | None) -> list[Saver]:
    found = {saved for root in site.roots() for saved in site.state.saved.get(root, ())}
    by_caller = site.harm()[1]
    found |= {by_caller} if by_caller is not None else set()
    placed = ((saver(site.program.module, saved), saved.certain) for saved in found)
    savers = {Saver(by.line, by.operation, certain, by.file or "") for by, certain in placed}
    by = finding.saved_by if finding is not None else None
    savers |= {Saver(by.line, by.operation, True, by.file or "")} if by is not None else set()
    return sorted(savers)


def _holders(site: Site) -> Iterator[Reason]:
    for root in sorted(site.roots(), key=lambda root: root.index):
        if root.origin is not Origin.FRESH:
            yield Holder[root.origin.name](label=root.label)
    keeper = site.state.kept_by(site.value.objs)
    if keeper is not None:
        kind = Holder.KEEPER if keeper.certain else Holder.MAYBE_KEEPER
        yield kind(operation=keeper.operation, line=Line(keeper.line))


def _grad_mode(site: Site) -> str:
    record = site.write.record
    if record.mode is GradMode.EITHER:
        return "recording or not: a switch decides"
    if record.records:
        return "recording" if record.mode is GradMode.ENABLED else "recording, unless the caller turned it off"
    return f"not recording: {record.mode.value}"


def _finding(source: Text, site: Site, findings: list[Finding]) -> Finding | None:
    node = site.write.source if site.write.source is not None else site.node
    start, end = (source.place(offset) for offset in source.span(node))
    for finding in findings:
        places = (finding.line, finding.column), (finding.end_line, finding.end_column)
        if places == (start, end) and finding.form is site.form:
            return finding
    return None


# -- candidates ---------------------------------------------------------------------------------------------------


def _candidates(program: Program, sites: list[Site]) -> list[tuple[Scope, ast.AST]]:
    """Return the nodes that are written like an in-place operation but aren't one, each with its scope."""
    known = {node for site in sites for node in (site.node, site.write.source)}
    found: list[tuple[Scope, ast.AST]] = []
    for scope in program.module.scopes.by_node.values():
        nodes = list(own_nodes(scope.node))
        inner = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
        found += [(scope, node) for node in nodes if node not in known | inner and target_of(node) is not None]
    return sorted(found, key=lambda pair: (pair[1].lineno, pair[1].col_offset))  # type: ignore[attr-defined]


def _candidate(program: Program, source: Text, scope: Scope, node: ast.AST) -> Candidate:
    target = target_of(node)
    assert target is not None
    line, column = source.place(source.span(node)[0])
    run = program.run(scope)
    value = run.values.get(target) if run is not None else None
    is_function = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if isinstance(node, ast.Call) and value is not None and value.must_be(NAMESPACE):
        is_function, target = True, first_argument(node)
        value = run.values.get(target) if run is not None else None
    written = ast.unparse(target)
    first = _first_line(source, node)
    if run is None or value is None:
        why = "the function is too complex to be analysed" if run is None else "the code there can't be reached"
        return Candidate(line, column, first, written, "something unknown", why, ())
    steps = tuple(evidence(run, target, State(), node))  # no binding is known to hold here, so all are listed
    reason = _unknown_operation(program, scope, node, is_function) or _reason(node, written, value)
    return Candidate(line, column, first, written, kind_in_words(value), reason, steps)


def _unknown_operation(program: Program, scope: Scope, node: ast.AST, is_function: bool) -> str | None:
    """Return the reason that torch has no such function or method with an underscore; None if it has."""
    if not isinstance(node, ast.Call) or any(keyword.arg == "out" for keyword in node.keywords):
        return None
    name = last_name(node.func) or ""
    if is_function:
        qualified = program.module.qualified(scope, node.func)
        known = qualified in WRITERS or (qualified is not None and torchapi.inplace_function(qualified) is not None)
        return None if known else f"`{ast.unparse(node.func)}` is no in-place function that is known"
    return None if torchapi.inplace_method(name) is not None else f"`{name}` is no in-place method that is known"


def _reason(node: ast.AST, written: str, value: Value) -> str:
    if value.is_tensor and isinstance(node, ast.AugAssign) and isinstance(node.op, ast.MatMult):
        return "tensors have no in-place matrix product: `@=` makes a new tensor"
    if value.is_tensor and isinstance(node, ast.Call):
        return f"torch has no in-place operation `{ast.unparse(node.func)}`"
    if value.kinds & UNKNOWN:
        advice = f"annotate it (`{written}: torch.Tensor`)" if written.isidentifier() else "annotate what it comes from"
        return f"what `{written}` is can't be told, and what may be no tensor is left alone; {advice} if it is one"
    return f"`{written}` is {kind_in_words(value)}, and only writes to tensors count"
