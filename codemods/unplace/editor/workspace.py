"""Analyses a text among the other files of its workspace: imports are followed, and callers are known.

That takes seconds where a look at the text alone takes tenths. So it is done by a process of its own, in which nothing
else waits, and which is ended when its answer isn't wanted any more or takes too long.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeAlias

import unplace
from unplace.analysis.project.files import Project
from unplace.config.nearest import Excluded, Nearest
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Finding
from unplace.documents import suffixes
from unplace.files.discovery import discover
from unplace.runs.across import Spanning, spanning
from unplace.runs.limits import LimitError, limited
from unplace.transform.rewriter import rewrite_text

SECONDS = 30.0
"""The longest time for an answer."""

_FILES, _BYTES = 5_000, 64 * 2**20
"""The largest workspace that is looked through; in a larger one, texts are analysed alone."""

_MOST_FAILURES = 3
_NICENESS = 10

_CODE = """
import sys
sys.path = [*filter(None, sys.path), sys.argv[1]]
from unplace.editor.workspace import main
main()
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A text to analyse: its path, the workspace folder around it, and other texts that aren't saved, by path.

    With `refused`, the question is how edits of several files rewrite these operations of the text.
    """

    text: str
    path: str
    folder: str
    options: Options
    unsaved: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[Finding, ...] = ()


Answer: TypeAlias = "FileReport | list[Spanning] | None"
"""The report on a text among the files of its folder, or the rewrites asked for; None where there is no answer."""


class Workspace:
    """The side that asks; its methods may be called from several threads."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = threading.Lock()
        self._about: str | None = None
        self._failures = 0

    def report(self, question: Question) -> FileReport | None:
        """Return the report on a text; None where the workspace is too large, the time is up, or `stop` is called."""
        found = self._answer(question)
        return found if isinstance(found, FileReport) else None

    def spanning(self, question: Question) -> list[Spanning]:
        """Return the rewrites of the refused operations by edits of several files; none where there is no answer."""
        found = self._answer(question)
        return found if isinstance(found, list) else []

    def _answer(self, question: Question) -> Answer:
        with self._asking:
            if self._failures >= _MOST_FAILURES:
                return None
            if self._process is None or self._process.poll() is not None:
                self._process = _started()
            process, self._about = self._process, question.path
            clock = threading.Timer(self._seconds, self._fail, [process])
            clock.start()
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                pickle.dump(question, process.stdin)
                process.stdin.flush()
                found: Answer = pickle.load(process.stdout)
            except (OSError, EOFError, pickle.UnpicklingError):
                process.wait()
                return None
            finally:
                self._about = None
                clock.cancel()
            return found

    def stop(self, path: str) -> None:
        """End the work under way if it is about a file: the answer isn't wanted any more."""
        process = self._process
        if process is not None and self._about == path:
            process.kill()

    def close(self) -> None:
        """End the process."""
        process = self._process
        if process is not None:
            process.kill()

    def _fail(self, process: subprocess.Popen[bytes]) -> None:
        self._failures += 1
        process.kill()


def _started() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _CODE, str(Path(unplace.__file__).parents[1])]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def main() -> None:
    """Answer questions from standard input on standard output, until that is closed."""
    given, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no part of an answer
    warnings.simplefilter("ignore", SyntaxWarning)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    with contextlib.suppress(EOFError, BrokenPipeError):
        _answer_all(given, answers)


def _answer_all(given: BinaryIO, answers: BinaryIO) -> None:
    known: dict[str, tuple[tuple[object, ...], Project]] = {}
    while True:
        question: Question = pickle.load(given)
        try:
            found = answer(question, known)
        except Exception:  # the text has been analysed alone, where a fault is reported
            found = None
            known.clear()
        pickle.dump(found, answers)
        answers.flush()


def answer(question: Question, known: dict[str, tuple[tuple[object, ...], Project]]) -> Answer:
    """Return the answer to a question; `known` has the project of the last one."""
    files = discover([Path(question.folder)], Excluded(Nearest()), suffixes(markdown=False)).files
    states = [Path(path).stat() for path in files[: _FILES + 1]]
    path = {os.path.normcase(file): file for file in files}.get(os.path.normcase(question.path))
    if path is None or len(files) > _FILES or sum(state.st_size for state in states) > _BYTES:
        return None
    held = {path: text.encode("utf-8", "surrogatepass") for path, text in question.unsaved.items()}
    held[path] = question.text.encode("utf-8", "surrogatepass")
    state = tuple(zip(files, ((each.st_mtime_ns, each.st_size) for each in states), strict=True)), held
    last = known.get(question.folder)
    if last is None or last[0] != state:
        known.clear()
        last = known[question.folder] = state, Project(files, held)
    project = last[1]
    try:
        with limited():
            if question.refused:
                return list(spanning(path, question.refused, question.options, project, held))
            return rewrite_text(question.text, path, question.options, project)
    except LimitError:
        known.clear()
        return None
    finally:
        project.end()
