"""The programs of the texts that were analysed last, so that all that is asked about a text shares one analysis."""

from __future__ import annotations

from collections import OrderedDict

from unplace.analysis.program import Program
from unplace.trees import parsed

_MOST = 8
"""An edit is planned in rounds, each with a text of its own; more than the open file's few are not asked for again."""


class Memory:
    """Keeps programs with what was found out about them. For one thread."""

    def __init__(self) -> None:
        self._programs: OrderedDict[tuple[str, str], Program] = OrderedDict()

    def begin(self, path: str, text: str) -> Program:
        """The program of a text; raises `SyntaxError` where CPython's parser does."""
        key = path, text
        if key not in self._programs:
            self._programs[key] = Program(parsed(text))
        self._programs.move_to_end(key)
        if len(self._programs) > _MOST:
            self._programs.popitem(last=False)
        return self._programs[key]
