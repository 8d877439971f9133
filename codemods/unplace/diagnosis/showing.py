"""Shows that an operation is harmful: by a short script that calls a function as runs did, and raises because of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from textwrap import dedent
from typing import Any

from unplace.diagnostics.catalogue import Verified
from unplace.diagnostics.findings import Finding, Harm
from unplace.files.discovery import shown
from unplace.observation.facts import Observations
from unplace.observation.keys import UNRECORDED, called_by_name
from unplace.reporting.summary import number
from unplace.runs.outcome import Outcome
from unplace.text.trees import parsed
from unplace.verification.loading import locate

MOST_TRIES = 20
"""The number of calls that are tried; those of the function around the operation come first."""
_SECONDS = 60
_MOST_SECONDS = 120.0
_BACKWARD = """\
tensors = [t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor) and t.requires_grad]
sum(t.sum() for t in tensors).backward()
"""


def script_of(path: Path, line: int, facts: Observations) -> tuple[str | None, int]:
    """Return a script that raises torch's in-place error because of an operation, and how many were tried.

    Each is run in a process of its own, under `unplace diagnose`, which has to name the line.
    """
    tried = 0
    for program in islice(_programs(path, line, facts), MOST_TRIES):
        tried += 1
        script = _flat(program)
        if (str(path.resolve()), line) in _culprits(script, path, facts.root):
            told = f"Raises because of {shown(str(path))}:{line}: an in-place operation overwrites what backward needs."
            return f'"""{told}"""\n\n{script}', tried
    return None, tried


def with_calls(outcomes: Sequence[Outcome], harms: Collection[Harm], facts: Observations) -> list[Outcome]:
    """Return outcomes whose findings of some harm say whether a call that runs made raises because of them.

    What isn't looked at in two minutes says nothing.
    """
    deadline = time.monotonic() + _MOST_SECONDS

    def verified(path: Path, finding: Finding) -> Finding:
        if finding.harm not in harms or time.monotonic() > deadline:
            return finding
        script, tried = script_of(path, finding.line, facts)
        if script is not None:
            return replace(finding, verified=Verified.SHOWN(place=f"{shown(str(path))}:{finding.line}"))
        return replace(finding, verified=Verified.NOT_SHOWN(calls=number(tried, "call")))

    return [
        replace(outcome, findings=tuple(verified(Path(outcome.path), finding) for finding in outcome.findings))
        if outcome.path.endswith(".py")
        else outcome
        for outcome in outcomes
    ]


def _programs(path: Path, line: int, facts: Observations) -> Iterator[str]:
    """Iterate over the calls that runs made: of the function around a line, then of its file, then of all others."""
    source = path.read_text("utf-8")
    own = facts.calls_in(str(path.resolve()))
    here = {
        function: node.lineno <= line <= (node.end_lineno or line)
        for function, node in called_by_name(parsed(source), source)
        if function in own
    }
    others = (programs for each in facts.calls.values() if each is not own for programs in each.values())
    first = (own[function] for function in sorted(here, key=lambda each: not here[each]))
    for programs in chain(first, others):
        yield from (program for program in programs if f"return {UNRECORDED}" not in program)


def _flat(program: str) -> str:
    """Return a program with an `example()` as a script that makes the call and a backward."""
    tree = ast.parse(program)
    example = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    *made, last = example.body
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    assert isinstance(last.value.elts[0], ast.Lambda)
    call = ast.get_source_segment(program, last.value.elts[0].body)
    lines = program.splitlines()
    head = "\n".join(lines[: example.lineno - 1]).strip()
    body = dedent("\n".join(lines[made[0].lineno - 1 : last.lineno - 1])) if made else ""
    return f"{head}\n\ntorch.manual_seed(0)\n{body}\nresult = {call}\n{_BACKWARD}".replace("\n\n\n", "\n\n")


@cache
def _culprits(script: str, path: Path, root: str) -> frozenset[tuple[str, int]]:
    """Return the lines that `unplace diagnose` blames for the in-place error of a script; none where it raises none.

    What the script imports is looked up around a file `path` and in the folder `root`.
    """
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
            return frozenset()
    culprits = report.get("culprits") or []
    return frozenset((str(Path(root, each["path"]).resolve()), each["line"]) for each in culprits)
