"""Measures unplace beside other tools on whole packages, in one run: CPU time, as ratios to `ast.parse`, and memory.

    python scripts/benchmark.py --runs 3 --torchfix ENV/bin/torchfix --ty ENV/bin/ty demucs-4.1.0 captum-0.9.0
    python scripts/benchmark.py --files SITE-PACKAGES/torch/optim
    python scripts/benchmark.py --generated
    python scripts/benchmark.py --latency

Every figure is the median over the runs of the CPU seconds (user and system, children included) of a whole process, so
that other work on the machine counts as little as possible; the tools take turns, so that what remains counts for all
of them. What unplace takes for a package of one operation is taken off, which is the time that it needs to start: a
small package would tell nothing else. ruff and mypy are used where they are installed beside this Python; torchfix
needs an old LibCST, so it has to have its own environment. All work on copies, with one process and without caches, but
for the column that says what a second run costs. A package's folder is named after it and its version.

`--files` works each file out by itself within this process, beside `ast.parse` of it: the ratio of all together, that
of the median file, and the worst of the files with more than 300 lines. The trees of an earlier run are dropped before
each, so that a run parses its file. The parser keeps no tree, either: among many kept trees, the collection of garbage
would double its time. `--generated` does so for made-up files of three lengths in which one thing is repeated: what
takes four times as long in one of twice the length is worth mending. `--latency` has made-up files for the command and
for the warm server, which is its analyst within this process, shown a text that it hasn't seen, and one in which a
statement came into a function.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from generated import GENERATED

from unplace.config.options import Options
from unplace.editor.analyst import Analyst
from unplace.editor.document import Document
from unplace.runs.cache import VARIABLE
from unplace.runs.outcome import rewrite_bytes
from unplace.text.trees import parsed

PARSE = "import ast, pathlib, sys\nfor path in pathlib.Path(sys.argv[1]).rglob('*.py'): ast.parse(path.read_bytes())"
CHECK = (sys.executable, "-m", "unplace", "check", "--isolated", "--jobs", "1")
ONE_OPERATION = "import torch\n\n\ndef shifted(x):\n    y = x.exp()\n    y += 1\n    return y\n"
LENGTHS = (100, 1_000, 10_000)
_LARGE = 300
_MOST = 25
_OTHERS = 16
_PARSES = 9
"""The parser's runs over one file: each is so short that a median over a few of them would be chance."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of a process with its children, and the most memory it held, in MiB."""

    seconds: float
    memory: float


Command = Callable[[Path], Sequence[str]]


def main() -> None:
    """Measure, and print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="those of packages")
    parser.add_argument("--files", nargs="+", type=Path, default=[], help="folders whose files stand alone")
    parser.add_argument("--generated", action="store_true", help="measure made-up files in which one thing is repeated")
    parser.add_argument("--latency", action="store_true", help="measure what an editor waits for")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--torchfix", type=Path, help="the command in its own environment")
    parser.add_argument("--ty", type=Path, help="the command")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, medians of {arguments.runs} runs")
    if arguments.folders:
        _packages(arguments.folders, _tools(arguments.torchfix, arguments.ty), arguments.runs)
    if arguments.files:
        _each_file(arguments.files, arguments.runs)
    if arguments.generated:
        _generated(arguments.runs)
    if arguments.latency:
        print("\n| lines | Python alone | `unplace check` | above Python | nothing to find | server: opened | edited |")
        print("|---|---|---|---|---|---|---|")
        for length in LENGTHS:
            _latency(length, arguments.runs)


def _tools(torchfix: Path | None, ty: Path | None) -> dict[str, Command]:
    """Return the other tools that there are."""
    tools: dict[str, Command] = {}
    beside = Path(sys.executable).parent
    if (beside / "ruff").exists():
        tools["ruff"] = lambda folder: (str(beside / "ruff"), "check", "--isolated", "--no-cache", str(folder))
    if ty is not None:
        tools["ty"] = lambda folder: (str(ty), "check", "--exit-zero", str(folder))
    if (beside / "mypy").exists():
        tools["mypy"] = lambda folder: (str(beside / "mypy"), "--cache-dir=/dev/null", "--no-incremental", str(folder))
    if torchfix is not None:
        tools["TorchFix"] = lambda folder: (str(torchfix), "--select", "ALL", str(folder))
    return tools


def _packages(folders: Sequence[Path], tools: dict[str, Command], runs: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "one.py").write_text(ONE_OPERATION, encoding="utf-8")
        Path(scratch, "other.py").write_text(ONE_OPERATION, encoding="utf-8")
        start = statistics.median(cost((*CHECK, "--no-cache", scratch)).seconds for _ in range(runs))
    print(f"{start:.2f} seconds to start are taken off\n")
    print(" | ".join(["| package", "files", "lines", "ast.parse", "check", "ratio", "MiB", "again", *tools]), "|")
    print("|---" * (8 + len(tools)) + "|")
    ratios: list[float] = []
    for folder in folders:
        ratios.append(_package(folder, tools, runs, start))
    print(f"\nmedian {statistics.median(ratios):.0f}, most {max(ratios):.0f}")


def _package(folder: Path, tools: dict[str, Command], runs: int, start: float) -> float:
    """Print the row of a package, and return how many times what the parser takes."""
    commands: dict[str, Command] = {
        "check": lambda copied: (*CHECK, "--no-cache", str(copied)),
        "cached": lambda copied: (*CHECK, str(copied)),
        "again": lambda copied: (*CHECK, str(copied)),
        **tools,
    }
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    contents = [path.read_bytes() for path in folder.rglob("*.py")]
    floors: list[float] = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as scratch:
            copied = Path(scratch) / folder.name
            ignored = shutil.ignore_patterns("*.so", "*.pyc")
            shutil.copytree(folder, copied, ignore=ignored)
            os.environ[VARIABLE] = str(Path(scratch) / "cache")
            floors.append(_seconds(lambda: _parse(contents)))
            for name, command in commands.items():
                costs[name].append(cost(command(copied)))
    floor = statistics.median(floors)
    seconds = {name: statistics.median(each.seconds for each in measured) for name, measured in costs.items()}
    memory = max(each.memory for each in costs["check"])
    above = max(seconds["check"] - start, 0.0)
    lines = sum(each.count(b"\n") for each in contents)
    row = [folder.name, str(len(contents)), f"{lines:,}", f"{floor:.3f}", f"{above:.2f}", f"{above / floor:.0f}"]
    row += [f"{memory:.0f}", f"{seconds['again']:.2f}", *(f"{seconds[name]:.2f}" for name in tools)]
    print("|", " | ".join(row), "|", flush=True)
    return above / floor


def _parse(contents: Sequence[bytes]) -> None:
    for each in contents:
        with contextlib.suppress(SyntaxError):
            ast.parse(each)


def _generated(runs: int) -> None:
    print("\n| what is repeated | times | CPU seconds |\n|---|---|---|")
    for name, (times, make) in GENERATED.items():
        sizes = (times // 4, times // 2, times)
        found = [statistics.median(_seconds_of(make(size)) for _ in range(runs)) for size in sizes]
        shown = ", ".join(f"{seconds:.2f}" for seconds in found)
        print(f"| {name} | {', '.join(f'{size:,}' for size in sizes)} | {shown} |", flush=True)


def _seconds_of(text: str) -> float:
    _drop_trees()
    return _seconds(lambda: rewrite_bytes(text.encode(), "generated.py", Options()))


@dataclass(frozen=True, slots=True)
class _Ratio:
    """CPU seconds for one file, and those of `ast.parse`."""

    path: Path
    lines: int
    seconds: float
    floor: float

    def __str__(self) -> str:
        """Name the file with its ratio and its seconds."""
        return f"{self.path.name} {self.times:.0f} ({self.seconds:.2f} s)"

    @property
    def times(self) -> float:
        """How many times what the parser takes."""
        return self.seconds / self.floor


def _each_file(folders: Sequence[Path], runs: int) -> None:
    rewrite_bytes(_module(_LARGE, "        hidden += step").encode(), "first.py", Options())  # imports what is needed
    print("\n| folder | files | all together | median file | over 25 | worst of more than 300 lines |")
    print("|---|---|---|---|---|---|")
    for folder in folders:
        paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]
        found = [_ratio(path, runs) for path in paths if path.stat().st_size]
        total = sum(r.seconds for r in found) / sum(r.floor for r in found)
        median = statistics.median(r.times for r in found)
        large = sorted((r for r in found if r.lines > _LARGE), key=lambda r: r.times, reverse=True)
        worst = ", ".join(map(str, large[:3]))
        many = f"{sum(r.times > _MOST for r in large)} of {len(large)}"
        print(f"| {folder.name} | {len(found)} | {total:.1f} | {median:.1f} | {many} | {worst} |", flush=True)


def _ratio(path: Path, runs: int) -> _Ratio:
    """Measure one file that is worked out by itself; medians over the runs, for the parser over `_PARSES`."""
    data = path.read_bytes()
    floors = [_seconds(lambda: ast.parse(data)) for _ in range(_PARSES)]
    seconds: list[float] = []
    for _ in range(runs):
        _drop_trees()
        seconds.append(_seconds(lambda: rewrite_bytes(data, str(path), Options())))
    return _Ratio(path, data.count(b"\n"), statistics.median(seconds), statistics.median(floors))


def _drop_trees() -> None:
    """Parse other texts, so that none of the trees of an earlier run is kept: a first run has to make them."""
    for number in range(_OTHERS):
        parsed(f"number = {number}")


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()  # what earlier work has left behind is not this one's
    start = time.process_time()
    work()
    return time.process_time() - start


def _latency(length: int, runs: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        busy, idle = Path(scratch) / "busy.py", Path(scratch) / "idle.py"
        busy.write_text(_module(length, "        hidden += step"), encoding="utf-8")
        idle.write_text(_module(length, "        hidden = hidden + step"), encoding="utf-8")
        bare = [cost((sys.executable, "-c", "pass")).seconds for _ in range(runs)]
        found = [cost((*CHECK, str(busy))).seconds for _ in range(runs)]
        nothing = [cost((*CHECK, str(idle))).seconds for _ in range(runs)]
    opened, edited = _served(_module(length, "        hidden += step"), runs)
    python, check, quiet = map(statistics.median, (bare, found, nothing))
    above = f"{check - python:.2f} | {quiet - python:.2f} | {opened:.3f} | {edited:.3f}"
    print(f"| {length:,} | {python:.2f} | {check:.2f} | {above} |", flush=True)


def _served(text: str, runs: int) -> tuple[float, float]:
    """CPU seconds for the diagnostics of a text when it is opened and after an edit, in a server that has seen others.

    Medians over the runs; all texts differ.
    """
    middle = text.index("    hidden =", len(text) // 2)
    opened, edited = [], []
    for number in range(runs + 1):
        analyst = Analyst()
        opened.append(_looked_at(analyst, f"{text}# {number}\n"))
        edited.append(_looked_at(analyst, f"{text[:middle]}    number = {number}\n{text[middle:]}# {number}\n"))
    return statistics.median(opened[1:]), statistics.median(edited[1:])


def _looked_at(analyst: Analyst, text: str) -> float:
    start = time.process_time()
    analyst.diagnostics(Document(text, "file:///edited.py", "/edited.py"), (), at_a_glance=True)
    return time.process_time() - start


def _module(length: int, statement: str) -> str:
    """A module of so many lines, of functions with a loop each, in which this statement stands."""
    lines = ["import torch", "", ""]
    while len(lines) < length:
        lines += [f"def run_{len(lines)}(x, weight):", "    hidden = torch.zeros_like(x)"]
        lines += [
            "    for row in weight:",
            "        step = torch.tanh(hidden @ row)",
            statement,
            "    return hidden",
            "",
            "",
        ]
    return "\n".join(lines)


def cost(command: Sequence[str]) -> Cost:
    """What running a command costs; raises `SystemExit` where it breaks down."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            errors.seek(0)
            sys.exit(f"{command[:4]} ended with {process.returncode}: {errors.read().decode()[-500:]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
