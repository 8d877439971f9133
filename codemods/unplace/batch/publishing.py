"""Runs the user's command that opens a pull request."""

from __future__ import annotations

import os
import shlex
import string
import subprocess
from pathlib import Path

from unplace.batch.describing import TITLE
from unplace.batch.origin import Origin

BRANCH = "unplace/migrate"
FIELDS = ("branch", "commit", "title", "body_file", "patch", "name", "target")
"""The names that may stand in braces in the command that opens a pull request."""


class PublishError(Exception):
    """Raised where the command that opens a pull request fails."""


def unknown_fields(template: str) -> list[str]:
    """Return the names in braces that are no fields; raise `ValueError` where the braces don't match."""
    return [name for _, name, _, _ in string.Formatter().parse(template) if name is not None and name not in FIELDS]


def open_pull_request(template: str, home: Origin, body: Path, fields: dict[str, str]) -> None:
    """Run the command in the repository's folder, with the fields filled in; raise `PublishError` where it fails."""
    values = {**fields, "branch": BRANCH, "title": TITLE, "body_file": str(body)}
    command = template.format(**{name: shlex.quote(values[name]) for name in FIELDS})
    done = subprocess.run(
        command,
        shell=True,
        cwd=home.folder,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GH_PROMPT_DISABLED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
        raise PublishError(f"`{command}` ended with exit code {done.returncode}: {lines[-1] if lines else 'no output'}")
