#!/usr/bin/env python3
"""Run the commands that README.md and docs/ show, and compare what they print with what is shown.

python scripts/console_blocks.py                    # say which pages differ
python scripts/console_blocks.py --write docs/X.md  # put in what is printed

A block ```console holds commands behind `$ ` (and `> ` for their further lines), each followed by what it prints on
both streams. The commands of a page run one after the other, in a scratch folder with a copy of `examples/`. A line
`...` stands for any lines. A comment `<!-- file: NAME -->` before another block writes that block to a file first.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(
    r"^(?:<!-- file: (?P<file>\S+) -->\n+)?```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_ANY = "...\n"
_PROGRESS = re.compile(r"^\w+: \d+ of \d+ files done\n", re.MULTILINE)
"""What a run prints on a pipe while it takes long, which depends on the machine."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page, what the page says it prints, and where that stands in the page."""

    line: str
    shown: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class File:
    """A file that a page shows before it uses it."""

    name: str
    text: str


def steps(text: str) -> Iterator[Command | File]:
    """The files and commands of a page, in order."""
    for fence in _FENCE.finditer(text):
        if fence["file"] is not None:
            yield File(fence["file"], fence["body"])
        elif fence["language"] == "console":
            yield from _commands(fence["body"], fence.start("body"))


def _commands(body: str, offset: int) -> Iterator[Command]:
    for part in re.finditer(r"^\$ (.*\n(?:>(?: .*)?\n)*)((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
        line = re.sub(r"\n> ?", "\n", part[1]).rstrip("\n")
        yield Command(line, part[2], offset + part.start(2), offset + part.end(2))


def agrees(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; trailing blanks don't count, for editors take them away."""
    pattern = "".join("(?:.*\n)*?" if line == _ANY else re.escape(line) for line in _stripped(shown))
    return re.fullmatch(pattern, "".join(_stripped(printed))) is not None


def _stripped(text: str) -> list[str]:
    return [f"{line.rstrip()}\n" for line in text.splitlines()]


class Shell:
    """Runs commands in a scratch folder in which `unplace` and `python` are this one's."""

    def __init__(self, folder: Path) -> None:
        """Prepare the folder `work` in a folder."""
        self.work = folder / "work"
        self.work.mkdir()
        shutil.copytree(ROOT / "examples", self.work / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        programs = folder / "bin"
        programs.mkdir()
        python = shlex.quote(sys.executable)
        for name, start in (("python", python), ("unplace", f"{python} -m unplace"), ("pytest", f"{python} -m pytest")):
            (programs / name).write_text(f'#!/bin/sh\nexec {start} "$@"\n')
            (programs / name).chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR") and k[:4] != "GIT_"}
        identity = {f"GIT_{who}_{what}": "you@there" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self._environment = {
            **kept,
            **identity,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "codemods"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "COLUMNS": "120",
            "HOME": str(folder),
        }
        self._code = 0

    def run(self, step: Command | File) -> str:
        """What a command prints; a file is written."""
        if isinstance(step, File):
            path = self.work / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
            return ""
        script = f"(exit {self._code})\n{step.line}"  # so that `echo $?` tells the code of the command before
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.work,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        self._code = done.returncode
        return _PROGRESS.sub("", done.stdout)


def differences(text: str) -> tuple[list[str], str]:
    """The commands of a page that print something else, as diffs, and the page with what they print."""
    found: list[str] = []
    corrected: list[str] = []
    end = 0
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(Path(folder))
        for step in steps(text):
            printed = shell.run(step)
            if isinstance(step, File) or agrees(step.shown, printed):
                continue
            shown = "".join(_stripped(printed))
            found.append(
                "".join(
                    [f"$ {step.line}\n", *unified_diff(_stripped(step.shown), _stripped(printed), "shown", "printed")]
                )
            )
            corrected += [text[end : step.start], shown]
            end = step.end
    return found, "".join([*corrected, text[end:]])


def pages() -> list[Path]:
    """The pages with commands."""
    candidates = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in candidates if any(isinstance(s, Command) for s in steps(page.read_text("utf-8")))]


def main() -> int:
    """Check pages, or correct them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    failed = False
    for page in arguments.pages or pages():
        found, corrected = differences(page.read_text("utf-8"))
        for difference in found:
            print(f"{page}: {difference}")
        if arguments.write:
            page.write_text(corrected, "utf-8")
        failed = failed or bool(found)
    return int(failed and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
