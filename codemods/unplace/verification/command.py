"""Judges a rewrite by a command, most often a test suite: what passed before must pass afterwards."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from unplace.verification.loading import CannotRunError
from unplace.verification.resource_limits import Limits

SHOWN = 3
"""The number of failing tests that a complaint names."""


class CommandTimedOutError(CannotRunError):
    """Raised where a command doesn't end in time, even without a rewrite."""


@dataclass(frozen=True, slots=True)
class Run:
    """The end of one run of a command: its exit code (None: it was killed), and its time.

    `tests` tells for each test whether it passed, where the command ran pytest; `tail` is the last line of the output.
    """

    code: int | None
    seconds: float
    tests: Mapping[str, bool] = field(default_factory=dict)
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The result of a command without a rewrite, from two runs: its exit code, and the tests that passed each time."""

    code: int
    seconds: float
    passing: frozenset[str]
    failing: int
    flaky: frozenset[str]

    def __str__(self) -> str:
        """Return `41 tests pass; not held against it: 2 failing, 1 flaky`, or `exit code 0` without tests."""
        if not self.passing:
            return f"exit code {self.code}"
        counts = ((self.failing, "failing"), (len(self.flaky), "flaky"))
        others = ", ".join(f"{count} {word}" for count, word in counts if count)
        passing = "1 test passes" if len(self.passing) == 1 else f"{len(self.passing)} tests pass"
        return f"{passing}; not held against it: {others}" if others else passing

    def without(self, flaky: Iterable[str]) -> Baseline:
        """Return the baseline without some tests that were found to be flaky."""
        return replace(self, passing=self.passing.difference(flaky), flaky=self.flaky.union(flaky))

    def lost(self, run: Run) -> list[str]:
        """Return the tests that passed before and don't in a run."""
        return sorted(test for test in self.passing if not run.tests.get(test, False))

    def complaint(self, run: Run) -> str | None:
        """Return a sentence about what is worse in a run with a rewrite; None where nothing is."""
        if run.code is None:
            return f"the command timed out after {run.seconds:.0f} s (before: {self.seconds:.1f} s)"
        lost = self.lost(run)
        if self.passing and not run.tests:
            return f"the command ended with exit code {run.code} and no test was run: {run.tail}"
        if lost:
            more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
            return f"{len(lost)} of {len(self.passing)} tests fail: {', '.join(lost[:SHOWN])}{more}"
        if self.code == 0 and run.code != 0 and all(run.tests[t] or t in self.flaky for t in run.tests):
            return f"the command ended with exit code {run.code}: {run.tail}"
        return None


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command that runs in `folder`, with the folders of `search` first on Python's path.

    `begins` is called before each run; `variables` are set for it.
    """

    text: str
    folder: Path
    search: Sequence[Path]
    limits: Limits
    begins: Callable[[], None] = lambda: None
    variables: Mapping[str, str] = field(default_factory=dict)

    def baseline(self) -> Baseline:
        """Run the command twice without a rewrite and return what both runs have in common.

        Raises `CannotRunError` where the command can't judge: it times out, or fails or is flaky with no test passing.
        """
        first, second = self.run(), self.run()
        for run in (first, second):
            if run.code is None:
                raise CommandTimedOutError(
                    f"`{self.text}` timed out after {run.seconds:.0f} s without a rewrite (--timeout sets the limit)"
                )
        common = first.tests.keys() & second.tests.keys()
        passing = frozenset(test for test in common if first.tests[test] and second.tests[test])
        flaky = frozenset(t for t in {**first.tests, **second.tests} if first.tests.get(t) != second.tests.get(t))
        assert first.code is not None
        assert second.code is not None
        if not passing:
            if first.code != second.code:
                codes = f"{first.code}, then {second.code}"
                raise CannotRunError(f"`{self.text}` is flaky: without a rewrite it ended with exit code {codes}")
            if first.code != 0:
                raise CannotRunError(
                    f"`{self.text}` fails without a rewrite (exit code {first.code}), and no test of pytest passes: "
                    f"{first.tail}"
                )
        seconds = max(first.seconds, second.seconds)
        return Baseline(max(first.code, second.code), seconds, passing, len(common - passing - flaky), flaky)

    def patient(self, baseline: Baseline) -> Command:
        """Return the command with a limit of one minute plus five times the time that it takes without a rewrite."""
        seconds = min(self.limits.seconds, 60 + 5 * baseline.seconds)
        return replace(self, limits=replace(self.limits, seconds=seconds))

    def run(self) -> Run:
        """Run the command once."""
        self.begins()
        with tempfile.TemporaryDirectory(prefix="unplace-") as place, Path(place, "output").open("w+b") as output:
            report = Path(place, "report.xml")
            start = time.monotonic()
            code = self._run(report, output)
            seconds = time.monotonic() - start
            return Run(code, seconds, _tests(report), _tail(output))

    def _run(self, report: Path, output: IO[bytes]) -> int | None:
        process = subprocess.Popen(
            self.text,
            shell=True,
            cwd=self.folder,
            env=self._environment(report),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=self.limits.apply if os.name == "posix" else None,
        )
        try:
            return process.wait(self.limits.seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)  # what it left running, too
            process.kill()
            process.wait()

    def _environment(self, report: Path) -> dict[str, str]:
        path = [*map(str, self.search), *filter(None, [os.environ.get("PYTHONPATH")])]
        # The report names the tests whatever the command prints, and whatever it is that calls pytest.
        options = f"{os.environ.get('PYTEST_ADDOPTS', '')} --junitxml={shlex.quote(str(report))}".strip()
        return {
            **os.environ,
            **self.variables,
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": options,
        }


def _tests(report: Path) -> dict[str, bool]:
    """Return by name whether each test in a report of pytest passed; a skipped test is left out."""
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return {}
    outcomes: dict[str, bool] = {}
    for case in cases:
        name = f"{case.get('classname', '')}::{case.get('name', '')}".removeprefix("::")
        failed = any(case.find(tag) is not None for tag in ("failure", "error"))
        if failed or case.find("skipped") is None:
            outcomes[name] = outcomes.get(name, True) and not failed
    return outcomes


def _tail(output: IO[bytes]) -> str:
    """Return the last line of the output that isn't blank."""
    output.seek(0)
    lines = [line.strip() for line in output.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
