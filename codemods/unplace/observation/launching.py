"""Runs a program under observation, in processes of its own, and gathers what they saw."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import unplace
from unplace.observation.child import FOLDER, KNOWN, ROOT
from unplace.observation.facts import Observations, read

_EAGER = {"TORCHDYNAMO_DISABLE": "1", "TORCH_COMPILE_DISABLE": "1"}
"""What `torch.compile` compiles runs eagerly: compiled code tells nothing."""


class NotFoundError(Exception):
    """Raised where there is no such program; the message is for people."""


def observe(
    root: Path,
    program: str,
    arguments: Sequence[str],
    *,
    is_module: bool,
    known: Path | None = None,
    quiet: bool = False,
) -> tuple[int, Observations]:
    """Run a program, and return its exit code and the facts about the operations in files below `root`.

    `known` is the file of facts from earlier runs; `quiet` hides what the program prints.
    """
    command = _command(program, arguments, is_module=is_module)
    with watching(root, known) as watch:
        output = subprocess.DEVNULL if quiet else None
        paths = filter(None, [*map(str, watch.path), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, **watch.variables, "PYTHONPATH": os.pathsep.join(paths)}
        done = subprocess.run(command, env=environment, stdout=output, stderr=output, check=False)
    return done.returncode, watch.found


@dataclass(frozen=True, slots=True)
class Watch:
    """What has every Python process observe itself: variables, and folders that go first on Python's path.

    `found` are the facts, once the processes have ended.
    """

    variables: Mapping[str, str]
    path: Sequence[Path]
    found: Observations


@contextmanager
def watching(root: Path, known: Path | None = None) -> Iterator[Watch]:
    """Gather what the processes that are started in the block show about the operations in files below `root`.

    Operations that no run of the file `known` examined come first.
    """
    root = root.resolve()
    path = (Path(__file__).parent / "startup", Path(unplace.__file__).parents[1])
    with tempfile.TemporaryDirectory(prefix="unplace-") as folder:
        watch = Watch(
            {**_EAGER, ROOT: str(root), FOLDER: folder, KNOWN: str(known.absolute()) if known is not None else ""},
            path,
            Observations(str(root)),
        )
        yield watch
        for facts in sorted(Path(folder).glob("*.json")):
            watch.found.add(read(facts))


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
