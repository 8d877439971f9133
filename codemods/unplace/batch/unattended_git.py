"""Git, run without anybody at the terminal: no prompts, no hooks, nothing of the caller's own repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_LOCAL = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
)
"""What a Git hook, in which we may have been started, says of its own repository."""

_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "gc.auto=0",
    "i18n.commitEncoding=UTF-8",
    "http.lowSpeedLimit=1000",  # a server that has gone silent doesn't hold up the run
    "http.lowSpeedTime=60",
)


class GitError(Exception):
    """What Git complains about, in its own words."""


def git(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, stdin: bytes | None = None
) -> bytes:
    """The output of a Git command in a folder; raises `GitError` where it fails."""
    command = ["git", *(part for setting in _SETTINGS for part in ("-c", setting)), *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**_environment(), **(environment or {})},
            input=b"" if stdin is None else stdin,
            capture_output=True,
            check=False,
        )
    except (FileNotFoundError, NotADirectoryError):
        reason = "git isn't installed" if folder.is_dir() else f"{folder}: no such folder"
        raise GitError(reason) from None
    if done.returncode != 0:
        raise GitError(f"git {arguments[0]}: {_complaint(done.stderr, done.returncode)}")
    return done.stdout


def line(*arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """The output of a Git command that prints one line."""
    return os.fsdecode(git(*arguments, folder=folder, environment=environment).rstrip(b"\n"))


def succeeds(arguments: Sequence[str], folder: Path) -> bool:
    """Whether a Git command says yes."""
    try:
        git(*arguments, folder=folder)
    except GitError:
        return False
    return True


@cache
def _environment() -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _LOCAL}
    return {
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ServerAliveInterval=30",
        **kept,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }


def _complaint(stderr: bytes, code: int) -> str:
    lines = [text.strip() for text in stderr.decode(errors="replace").splitlines() if text.strip()]
    serious = [text for text in lines if text.startswith(("fatal:", "error:"))] or lines[-1:]
    return "; ".join(text.removeprefix("fatal: ").removeprefix("error: ") for text in serious) or f"exit code {code}"
