"""Git, run with nobody at the terminal: no prompts, and a server that has gone silent doesn't hold up the run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from unplace.files.git import GitError, NoGitError, run_git

_SETTINGS = ("gc.auto=0", "i18n.commitEncoding=UTF-8", "http.lowSpeedLimit=1000", "http.lowSpeedTime=60")
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
_SSH = "GIT_SSH_COMMAND"


def git(*arguments: str, folder: Path, environment: Mapping[str, str] | None = None, stdin: bytes = b"") -> bytes:
    """Return the output of a Git command in a folder; raise `GitError` where it fails, or Git isn't installed."""
    ssh = {_SSH: os.environ.get(_SSH, "ssh -o BatchMode=yes -o ServerAliveInterval=30")}
    variables = {**_ENVIRONMENT, **ssh, **(environment or {})}
    try:
        done = run_git(folder, *arguments, settings=_SETTINGS, environment=variables, stdin=stdin)
    except NoGitError:
        raise GitError("git isn't installed") from None
    if done.returncode != 0:
        raise GitError(f"git {arguments[0]}: {_complaint(done.stderr, done.returncode)}")
    return done.stdout


def line(*arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Return the output of a Git command that prints one line, without the line end."""
    return os.fsdecode(git(*arguments, folder=folder, environment=environment).rstrip(b"\n"))


def succeeds(arguments: Sequence[str], folder: Path) -> bool:
    """Tell whether a Git command succeeds."""
    try:
        git(*arguments, folder=folder)
    except GitError:
        return False
    return True


def _complaint(stderr: bytes, code: int) -> str:
    lines = [text.strip() for text in stderr.decode(errors="replace").splitlines() if text.strip()]
    serious = [text for text in lines if text.startswith(("fatal:", "error:"))] or lines[-1:]
    return "; ".join(text.removeprefix("fatal: ").removeprefix("error: ") for text in serious) or f"exit code {code}"
