"""Git, asked about a repository that may be a stranger's: no hooks, no monitor of the file system, no index written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from functools import cache

_SETTINGS = ("-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_KEPT = frozenset({"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"})
"""Settings for this run, `safe.directory` among them; those Git keeps itself where it enters another repository."""


class GitError(Exception):
    """Why Git can't tell, in its own words or in ours."""


class NoGitError(Exception):
    """Git isn't installed."""


def git(folder: str, *arguments: str) -> bytes:
    """The output of a Git command; raises `GitError` where it fails, and `NoGitError` where there is no Git."""
    done = _run(_environment(), "-C", folder, *arguments)
    if done.returncode != 0:
        raise GitError(" ".join(os.fsdecode(done.stderr).split()).removeprefix("fatal: "))
    return done.stdout


def ask(folder: str, *arguments: str) -> str:
    """What a Git command answers, without the last line end; nothing where it fails, which says no."""
    done = _run(_environment(), "-C", folder, *arguments)
    return os.fsdecode(done.stdout.rstrip(b"\n")) if done.returncode == 0 else ""


def _run(environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "--no-optional-locks", *_SETTINGS, *arguments]
    try:
        return subprocess.run(command, env=environment, capture_output=True, check=False)
    except FileNotFoundError:
        raise NoGitError from None


def _environment() -> Mapping[str, str]:
    """That of this process, without what a hook in which it may run says of its own repository."""
    return {**{name: value for name, value in os.environ.items() if name not in _local()}, "LC_ALL": "C"}


@cache
def _local() -> frozenset[str]:
    """The variables that are about one repository."""
    return frozenset(os.fsdecode(_run(os.environ, "rev-parse", "--local-env-vars").stdout).split()) - _KEPT
