"""Git, run in a repository that may be a stranger's: no hooks, no monitor of the file system, no optional locks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_SETTINGS = ("core.quotePath=false", "core.fsmonitor=false", f"core.hooksPath={os.devnull}")
_KEPT = frozenset({"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"})
"""Settings for this run, `safe.directory` among them; those Git keeps itself where it enters another repository."""


class GitError(Exception):
    """Raised where a Git command fails; the message is Git's complaint, or ours."""


class NoGitError(Exception):
    """Raised where Git isn't installed."""


def git(folder: str, *arguments: str) -> bytes:
    """Return the output of a Git command; raise `GitError` where it fails, `NoGitError` where there is no Git."""
    done = run_git(folder, *arguments)
    if done.returncode != 0:
        raise GitError(" ".join(os.fsdecode(done.stderr).split()).removeprefix("fatal: "))
    return done.stdout


def ask(folder: str, *arguments: str) -> str:
    """Return the output of a Git command without the last line end; an empty string where the command fails."""
    done = run_git(folder, *arguments)
    return os.fsdecode(done.stdout.rstrip(b"\n")) if done.returncode == 0 else ""


def run_git(
    folder: str | Path,
    *arguments: str,
    settings: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run a Git command in a folder and return how it ended; raise `NoGitError` where there is no Git.

    `settings` are further settings as `-c` takes them (`gc.auto=0`), `environment` further variables.
    """
    return _run({**_environment(), **(environment or {})}, ("-C", str(folder), *arguments), settings, stdin)


def _run(
    environment: Mapping[str, str], arguments: Sequence[str], settings: Sequence[str] = (), stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    options = (part for setting in (*_SETTINGS, *settings) for part in ("-c", setting))
    command = ["git", "--no-optional-locks", *options, *arguments]
    try:
        return subprocess.run(command, env=environment, input=stdin, capture_output=True, check=False)
    except FileNotFoundError:
        raise NoGitError from None


def _environment() -> Mapping[str, str]:
    """Return this process's variables without those in which a Git hook, around us, names its own repository."""
    return {**{name: value for name, value in os.environ.items() if name not in _local()}, "LC_ALL": "C"}


@cache
def _local() -> frozenset[str]:
    """Return the names of the variables that are about one repository."""
    names = os.fsdecode(_run(os.environ, ("rev-parse", "--local-env-vars")).stdout).split()
    return frozenset({"GIT_NAMESPACE", *names}) - _KEPT
