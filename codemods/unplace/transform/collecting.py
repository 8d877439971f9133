"""Finds the sites of a module: the in-place operations of its functions, each with what runs showed of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from unplace.analysis.interpret.run import Run
from unplace.analysis.project.candidates import Reaches, candidates
from unplace.analysis.project.program import Program
from unplace.analysis.queries.early_steps import steps_of
from unplace.analysis.types.flows import flows
from unplace.analysis.types.propagation import INSTANCE, Holders
from unplace.config.options import Options
from unplace.observation.facts import OperationFacts
from unplace.transform.flags import Flag, Makes, flags
from unplace.transform.sites import Callers, Site, form_of, is_site


def is_anywhere(node: ast.AST) -> bool:
    """Accept every node."""
    return True


def collect(
    program: Program,
    callers: Callers,
    options: Options,
    reaches: Reaches = is_anywhere,
    facts_of: Callable[[ast.AST, ast.stmt], OperationFacts | None] = lambda *_: None,
    *,
    is_edited: bool = False,
) -> list[Site]:
    """Return the sites of a module, in order of position; calls of modules (`self.act(x)`) are included.

    Sites in functions that `reaches` rejects are left out. `facts_of` gives what runs showed of an operation, by its
    node and its statement; `is_edited` tells that the text isn't the one that ran.
    """
    sites = [
        Site(program, run, write, form_of(run, write), callers, options)
        for run in runs(program, reaches)
        for write in (*filter(is_site, run.writes.values()), *run.unclear.values())
    ]
    for site in sites:
        site.facts = facts_of(site.node, site.statement)
        site.was_harmful = site.facts is not None and site.facts.is_harmful and not is_edited
    sites.sort(key=lambda s: (s.node.lineno, s.node.col_offset, -s.node.end_col_offset))  # type: ignore[attr-defined]
    return sites


def flagged(program: Program, made: Sequence[Flag], callers: Callers, options: Options) -> dict[ast.AST, list[Site]]:
    """Return the calls that write in place if a flag says so, by the call that makes their layer, or by themselves.

    `made` are the flags of the module; those count that are True somewhere.
    """
    asked = [(flag, flag.node) for flag in made if flag.literals and isinstance(flag.node, ast.Call)]
    if not asked:
        return {}
    layers = {node: INSTANCE for flag, node in asked if flag.makes is Makes.MODULE}
    holders = Holders(flows(program.module), layers, {})
    calling = (scope for scope in program.module.scopes.by_node.values() if layers and holders.are_called_in(scope))
    found: dict[ast.AST, list[Site]] = {}
    own = (flag.scope for flag, _ in asked if flag.makes is Makes.RESULT)
    for run in filter(None, map(program.run, dict.fromkeys((*calling, *own)))):
        for write in run.flagged.values():
            site = Site(program, run, write, form_of(run, write), callers, options)
            found.setdefault(write.source or write.node, []).append(site)
    return found


def runs(program: Program, reaches: Reaches) -> Iterator[Run]:
    """Iterate over the runs of the functions that may write in place."""
    for scope in candidates(program.module, reaches):
        run = program.run(scope)
        if run is not None:
            yield run


def has_sites(program: Program, reaches: Reaches) -> bool:
    """Tell whether anything that is reached in the module is or may be an in-place operation on a tensor."""
    if any(reaches(flag.node) for flag in flags(program)):
        return True
    if any(map(reaches, steps_of(program.module).nodes)):
        return True
    found = runs(program, reaches)
    return any(run.unclear or any(is_site(write) for write in run.writes.values()) for run in found)
