"""Shows that an operation is harmful: by a short script that calls a function as runs did, and raises because of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import Any

from unplace.files.discovery import shown
from unplace.observation.facts import Observations
from unplace.observation.keys import UNRECORDED, called_by_name
from unplace.verification.loading import locate

MOST_TRIES = 20
"""The number of calls that are tried; those of the function around the operation come first."""
_SECONDS = 60
_BACKWARD = """\
tensors = [t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor) and t.requires_grad]
sum(t.sum() for t in tensors).backward()
"""


def script_of(path: Path, line: int, facts: Observations) -> tuple[str | None, int]:
    """Return a script that raises torch's in-place error because of an operation, and how many were tried.

    Each is run in a process of its own, under `unplace diagnose`, which has to name the line.
    """
    tried = 0
    for program in _programs(path, line, facts):
        tried += 1
        script = _flat(program, f"{shown(str(path))}:{line}")
        if _raises_because_of(script, path, line, facts.root):
            return script, tried
        if tried == MOST_TRIES:
            break
    return None, tried


def _programs(path: Path, line: int, facts: Observations) -> Iterator[str]:
    """Iterate over the calls that runs made: of the function around a line, then of its file, then of all others."""
    source = path.read_text("utf-8")
    own = facts.calls_in(str(path.resolve()))
    here = {
        function: node.lineno <= line <= (node.end_lineno or line)
        for function, node in called_by_name(ast.parse(source), source)
        if function in own
    }
    others = (programs for each in facts.calls.values() if each is not own for programs in each.values())
    first = (own[function] for function in sorted(here, key=lambda each: not here[each]))
    for programs in chain(first, others):
        yield from (program for program in programs if UNRECORDED not in program)


def _flat(program: str, place: str) -> str:
    """Return a program with an `example()` as a script that makes the call and a backward."""
    tree = ast.parse(program)
    example = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    *made, last = example.body
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    assert isinstance(last.value.elts[0], ast.Lambda)
    call = ast.get_source_segment(program, last.value.elts[0].body)
    lines = program.splitlines()
    imports = lines[: example.lineno - 1]
    body = dedent("\n".join(lines[made[0].lineno - 1 : last.lineno - 1])) if made else ""
    told = f'"""Raises because of {place}: an in-place operation overwrites what backward needs."""'
    head = "\n".join(imports).strip()
    return f"{told}\n\n{head}\n\ntorch.manual_seed(0)\n{body}\nresult = {call}\n{_BACKWARD}".replace("\n\n\n", "\n\n")


def _raises_because_of(script: str, path: Path, line: int, root: str) -> bool:
    """Tell whether a script raises torch's in-place error, and the diagnosis names a line as the culprit."""
    own = str(Path(__file__).parents[2])
    folders = [*map(str, locate(path).search), root, own, os.environ.get("PYTHONPATH", "")]
    with tempfile.TemporaryDirectory(prefix="unplace-") as folder:
        file = Path(folder, "shown.py")
        file.write_text(script, "utf-8")
        command = [sys.executable, "-m", "unplace", "diagnose", "--output-format", "json", "--output-file", "-"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}
        try:
            done = subprocess.run(
                [*command, str(file)], cwd=root, env=environment, capture_output=True, timeout=_SECONDS, check=False
            )
            report: dict[str, Any] = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return False
    culprits = report.get("culprits") or []
    return any(Path(root, each["path"]).resolve() == path.resolve() and each["line"] == line for each in culprits)
