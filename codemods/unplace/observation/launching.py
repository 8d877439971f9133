"""Runs a program under observation, in processes of its own, and gathers what they saw."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import unplace
from unplace.observation.child import FOLDER, ROOT
from unplace.observation.facts import Observations, read

_EAGER = {"TORCHDYNAMO_DISABLE": "1", "TORCH_COMPILE_DISABLE": "1"}
"""What `torch.compile` compiles runs eagerly: compiled code tells nothing."""


class NotFoundError(Exception):
    """Raised where there is no such program; the message is for people."""


def observe(
    root: Path, program: str, arguments: Sequence[str], *, is_module: bool, quiet: bool = False
) -> tuple[int, Observations]:
    """Run a program, and return its exit code and the facts about the operations in files below `root`.

    `quiet` hides what it prints.
    """
    command = _command(program, arguments, is_module=is_module)
    root = root.resolve()
    with tempfile.TemporaryDirectory(prefix="unplace-") as folder:
        output = subprocess.DEVNULL if quiet else None
        environment = _environment(root, folder)
        done = subprocess.run(command, env=environment, stdout=output, stderr=output, check=False)
        found = Observations(str(root))
        for path in sorted(Path(folder).glob("*.json")):
            found.add(read(path))
    return done.returncode, found


def _command(program: str, arguments: Sequence[str], *, is_module: bool) -> list[str]:
    if is_module:
        return [sys.executable, "-m", program, *arguments]
    if Path(program).is_file() and Path(program).suffix in (".py", ".pyw"):
        return [sys.executable, "-m", "unplace.observation.script", program, *arguments]
    found = shutil.which(program) or _beside_python(program)
    if found is None:
        raise NotFoundError(f"{program}: no such file, and no such command")
    if Path(found).name.startswith("python") and arguments and arguments[0].endswith(".py"):
        return [found, "-m", "unplace.observation.script", *arguments]
    return [found, *arguments]


def _beside_python(program: str) -> str | None:
    return shutil.which(program, path=str(Path(sys.executable).parent))


def _environment(root: Path, folder: str) -> dict[str, str]:
    """Return the environment in which every Python process observes itself."""
    sources = Path(unplace.__file__).parents[1]
    paths = [str(Path(__file__).parent / "startup"), str(sources), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, **_EAGER, ROOT: str(root), FOLDER: folder, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
