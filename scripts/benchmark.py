"""Measures unplace beside other tools on the same files, in one run: CPU time, as ratios to `ast.parse`, and memory.

    python scripts/benchmark.py --runs 5 --torchfix ENV/bin/torchfix SITE-PACKAGES/torch/nn SITE-PACKAGES/timm

Every figure is the median over the runs of the CPU seconds (user and system, children included) of a whole process, so
that other work on the machine counts as little as possible; the tools take turns, so that what remains counts for all
of them. pyupgrade and ruff are used where they are installed beside this Python; torchfix needs an old LibCST, so it
has to have its own environment. All work on copies, with one process and without caches, but for the row that says
what a second run costs. Then each file is worked out by itself within this process, beside `ast.parse` of it: the
ratio of all together, that of the median file, and the worst of the files with more than 300 lines. The trees of an
earlier run are dropped before each, so that a run parses its file. The parser keeps no tree, either: among many kept
trees, the collection of garbage would double its time. The warm server is its analyst within this process, shown a text
that it hasn't seen, and one in which a statement came into a function.
"""

from __future__ import annotations

import argparse
import ast
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

from unplace.config.options import Options
from unplace.editor.analyst import Analyst
from unplace.editor.document import Document
from unplace.runs.cache import VARIABLE
from unplace.runs.outcome import rewrite_bytes
from unplace.text.trees import parsed

FLOOR = "ast.parse"
AGAIN = "unplace check, a second time"
PARSE = "import ast, pathlib, sys\nfor path in pathlib.Path(sys.argv[1]).rglob('*.py'): ast.parse(path.read_bytes())"
UNPLACE = (sys.executable, "-m", "unplace")
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
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--torchfix", type=Path, help="the command in its own environment")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, medians of {arguments.runs} runs\n")
    tools = _tools(arguments.torchfix)
    print("| files | lines | tool | CPU seconds | ratio | MiB |\n|---|---|---|---|---|---|")
    for folder in arguments.folders:
        _compare(folder, tools, arguments.runs)
    _each_file(arguments.folders, arguments.runs)
    print("\n| lines | Python alone | `unplace check` | above Python | nothing to find | server: opened | edited |")
    print("|---|---|---|---|---|---|---|")
    for length in LENGTHS:
        _latency(length, arguments.runs)


def _tools(torchfix: Path | None) -> dict[str, Command]:
    tools: dict[str, Command] = {
        FLOOR: lambda folder: (sys.executable, "-c", PARSE, str(folder)),
        "unplace check": lambda folder: (*UNPLACE, "check", "--isolated", "--no-cache", "--jobs", "1", str(folder)),
        AGAIN: lambda folder: (*UNPLACE, "check", "--isolated", "--jobs", "1", str(folder)),
        "unplace rewrite --diff": lambda folder: (
            *UNPLACE,
            "rewrite",
            "--diff",
            "--isolated",
            "--no-cache",
            "--jobs",
            "1",
            str(folder),
        ),
    }
    beside = Path(sys.executable).parent
    if (beside / "pyupgrade").exists():
        tools["pyupgrade"] = lambda folder: (str(beside / "pyupgrade"), "--py310-plus", *map(str, folder.rglob("*.py")))
    if (beside / "ruff").exists():
        tools["ruff check"] = lambda folder: (str(beside / "ruff"), "check", "--isolated", "--no-cache", str(folder))
    if torchfix is not None:
        tools["torchfix"] = lambda folder: (str(torchfix), "--select", "ALL", str(folder))
    return tools


def _compare(folder: Path, tools: dict[str, Command], runs: int) -> None:
    costs: dict[str, list[Cost]] = {name: [] for name in tools}
    for _ in range(runs):
        for name, command in tools.items():
            with tempfile.TemporaryDirectory() as scratch:
                copied = Path(scratch) / folder.name
                shutil.copytree(
                    folder, copied, ignore=lambda _, names: {n for n in names if n.endswith((".so", ".pyc"))}
                )
                os.environ[VARIABLE] = scratch
                if name == AGAIN:
                    cost(command(copied))
                costs[name].append(cost(command(copied)))
    contents = [path.read_bytes() for path in folder.rglob("*.py")]
    floor = statistics.median(c.seconds for c in costs[FLOOR])
    for name, measured in costs.items():
        seconds = statistics.median(c.seconds for c in measured)
        memory = max(c.memory for c in measured)
        size = f"{len(contents)} ({folder.name}) | {sum(c.count(bytes([10])) for c in contents):,}"
        print(f"| {size} | {name} | {seconds:.2f} | {seconds / floor:.1f} | {memory:.0f} |", flush=True)


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
        found = [cost((*UNPLACE, "check", "--isolated", str(busy))).seconds for _ in range(runs)]
        nothing = [cost((*UNPLACE, "check", "--isolated", str(idle))).seconds for _ in range(runs)]
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
