"""Declares the options of a run, however they are given. Each setting is declared here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from unplace import rules
from unplace.config.kinds import (
    AUTO,
    Auto,
    Codes,
    CodesOfFiles,
    Decision,
    FactsFile,
    Given,
    Harms,
    ModelFiles,
    Truth,
    Version,
)
from unplace.config.settings import Setting, settings_of
from unplace.diagnostics.conventions import is_convention
from unplace.diagnostics.findings import Harm
from unplace.diagnostics.reasons import Reason
from unplace.files.patterns import Patterns
from unplace.observation.facts import FileFacts, Observations
from unplace.text.positions import LineRanges
from unplace.torchapi.releases import Release


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run: `unsafe` also applies edits that rest on an assumption, `strict` none that rest on one.

    Between them are the conventions, assumptions that the world keeps. `select`/`ignore` name rule codes.

    `preserve_dtype` casts the result back wherever it isn't known to have the dtype of the tensor written in place.
    With `functional`, stores into new memory are rewritten, too, so that no operation writes a tensor.
    With `whole_program`, what nothing in the run calls is all that other code may call; with "auto", that holds for
    programs and applications (`unplace.analysis.project.programs`).
    `target_torch` is the oldest torch that rewritten code has to run on: newer functions aren't used.
    `only` leaves out operations of other harm, `per_file_ignores` codes in the files that a pattern names, `changed`
    all but these lines of each file. Without `comments`, suppression comments don't count; without `unused`, comments
    that suppress nothing aren't reported. With `every`, harmless writes to parts of a tensor in loops are removed, too,
    at the cost of copies. With `spans_files`, an edit may need others in other files; with `spans_later`, what such
    edits may rewrite gets no fallback. With `markdown`, Markdown files hold Python blocks. With `counts`, what `only`
    leaves out is reported, too, but never rewritten: who only counts operations needs no plan for them.
    `models` are the paths and texts of files that tell what libraries do.
    `facts` are what runs of the program showed, and `here` those that hold for the file at hand.
    """

    unsafe: Annotated[bool, Setting(Truth(off="safe"), "Take edits that rest on an assumption, too.")] = False
    strict: Annotated[bool, Setting(Truth(), "Take only edits that are proved, and none by convention.")] = False
    preserve_dtype: Annotated[
        bool, Setting(Truth(), "Cast results back wherever their dtype isn't known to stay the same.")
    ] = False
    whole_program: Annotated[
        bool | Auto,
        Setting(Decision(), "The files of the run are the whole program: nothing else calls their functions."),
    ] = AUTO
    functional: Annotated[
        bool,
        Setting(Truth(), "Leave no store either: slice_scatter, index_put, where, stack and the like.", edits=True),
    ] = False
    target_torch: Annotated[
        Release | None, Setting(Version(), "The oldest torch that rewritten code has to run on.")
    ] = None
    models: Annotated[
        tuple[tuple[str, str], ...],
        Setting(ModelFiles(), "Take from these files what functions and layers of libraries do."),
    ] = ()
    facts: Annotated[
        Observations | None, Setting(FactsFile(), "Take the facts that runs showed, from a file of `unplace observe`.")
    ] = field(default=None, hash=False)
    select: Annotated[
        frozenset[str] | None, Setting(Codes(), "Only these rules (codes or prefixes).", narrows=True)
    ] = None
    ignore: Annotated[frozenset[str], Setting(Codes(), "Not these rules (codes or prefixes).", narrows=True)] = (
        frozenset()
    )
    only: Annotated[
        frozenset[Harm] | None,
        Setting(Harms(), "Only operations of this harm: harmful, possible, harmless.", narrows=True),
    ] = None
    per_file_ignores: Annotated[
        tuple[tuple[Patterns, frozenset[str]], ...],
        Setting(CodesOfFiles(), "Rules that don't hold in these files.", narrows=True),
    ] = ()
    changed: Mapping[str, LineRanges] | None = field(default=None, hash=False)
    comments: bool = True
    unused: bool = True
    every: bool = False
    spans_files: bool = False
    spans_later: bool = False
    markdown: bool = False
    counts: bool = False
    here: FileFacts | None = field(default=None, hash=False)

    def accepts(self, assumptions: Iterable[Reason]) -> bool:
        """Tell whether the run makes an edit that rests on assumptions."""
        assumed = tuple(assumptions)
        return not assumed or (not self.strict and (self.unsafe or all(map(is_convention, assumed))))

    def unfiltered(self) -> Options:
        """Return the same options without any limit from selection, harm or comments."""
        everything: dict[str, Any] = {each.name: getattr(_DEFAULTS, each.name) for each in SETTINGS if each.narrows}
        return replace(self, **everything, comments=False)

    def wanted(self, path: str) -> frozenset[str]:
        """Return the codes of the rules that the run applies to a file."""
        codes = (frozenset(rules.codes()) if self.select is None else self.select) - self.ignore
        for patterns, ignored in self.per_file_ignores:
            if codes & ignored and patterns.match(path):
                codes -= ignored
        return codes


SETTINGS = settings_of(Options)
_DEFAULTS = Options()


def from_words(told: Options, given: Mapping[str, Any]) -> Options:
    """Return the options with those that the command line gives; raise `SelectionError` for invalid words."""
    return replace(
        told, **{each.name: each.read(given[each.name]) for each in SETTINGS if given.get(each.name) is not None}
    )


def from_python(**given: Any) -> Options:
    """Return the options that a caller gives; raise `TypeError` or `ValueError` for invalid ones."""
    kinds = {each.name: each.kind for each in SETTINGS}
    values: dict[str, Any] = {}
    for name, value in given.items():
        kind = kinds[name]
        assert isinstance(kind, Given)
        if value is not None or getattr(_DEFAULTS, name) is not None:
            values[name] = kind.from_python(name, value)
    return Options(**values)
