"""Keeps the results for the latest texts, so that all answers about a text share the work."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from unplace import documents
from unplace.analysis.cancellation import CancelledError, cancelled_where
from unplace.analysis.effects.model_files import ModelTexts
from unplace.analysis.project.files import Project
from unplace.analysis.project.program import Program
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport
from unplace.text.trees import parsed
from unplace.transform.rewriter import first_round

K = TypeVar("K")
V = TypeVar("V")

_PROGRAMS = 3
"""The number of programs kept, which are large: that of the current text and those of the last rounds."""

_REPORTS = 16


@dataclass(slots=True)
class _Latest(Generic[K, V]):
    """A cache of the values that were asked for last."""

    most: int
    _known: OrderedDict[K, V] = field(default_factory=OrderedDict)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; make it if it isn't known."""
        if key not in self._known:
            self._known[key] = make()
        self._known.move_to_end(key)
        if len(self._known) > self.most:
            self._known.popitem(last=False)
        return self._known[key]

    def put(self, key: K, value: V) -> None:
        """Take a value for a key, in place of the one that is known."""
        self._known.pop(key, None)
        self.get(key, lambda: value)

    def drop(self, is_over: Callable[[K], bool]) -> None:
        """Forget the values of the keys for which `is_over` is true."""
        for key in [key for key in self._known if is_over(key)]:
            del self._known[key]


class Plans:
    """Keeps programs and reports, for one thread; with a `project`, its other files count."""

    def __init__(self, project: Project | None = None) -> None:
        self._project = project
        self._programs: _Latest[tuple[str, str, ModelTexts], Program] = _Latest(_PROGRAMS)
        self._reports: _Latest[tuple[str, str, Options, bool], FileReport] = _Latest(_REPORTS)

    def begin(self, path: str, text: str, models: ModelTexts = ()) -> Program:
        """Return the program of a text; raise `SyntaxError` where CPython can't parse it."""
        key = path, text, models
        if self._project is not None:
            project = self._project
            return self._programs.get(key, lambda: project.begin(*key))
        return self._programs.get(key, lambda: Program.of(parsed(text), text, models=models))

    def report(self, text: str, path: str, options: Options) -> FileReport:
        """Return the report on a text."""
        key = text, path, options, False
        return self._reports.get(key, lambda: documents.rewrite(text, path, options, self))

    def adopt(self, text: str, path: str, options: Options, report: FileReport) -> None:
        """Take a report on a text that somebody else made, in place of an own one."""
        self._reports.put((text, path, options, False), report)

    def first_sight(self, text: str, path: str, options: Options) -> FileReport:
        """Return the report of a single round on a text that is one module, from the functions the run is about."""
        key = text, path, options, True
        return self._reports.get(key, lambda: first_round(text, path, options, self, apart=True))

    def forget(self, path: str) -> None:
        """Forget all about the texts of a file."""
        self._programs.drop(lambda key: key[0] == path)
        self._reports.drop(lambda key: key[1] == path)

    @contextmanager
    def unless(self, is_cancelled: Callable[[], bool]) -> Iterator[None]:
        """End the work in the block with `CancelledError` as soon as `is_cancelled` returns true."""
        try:
            with cancelled_where(is_cancelled):
                yield
        except CancelledError:
            self._programs.drop(lambda key: True)  # their analysis stopped half-way
            raise
