"""Tells in which release of torch the functions appeared that rewrites use.

The table, ``releases.json``, is written by ``scripts/releases.py`` from the type stubs of the releases. It is read
only in a run that names the oldest torch that the code has to run on.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Release(NamedTuple):
    """A release of torch without its patch level, which adds no functions."""

    major: int
    minor: int

    def __str__(self) -> str:
        """Return the release as people write it: `2.1`."""
        return f"{self.major}.{self.minor}"


_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?(?:[+a-z].*)?")


def release(version: str) -> Release | None:
    """Return the release of a version such as `2.1`, `2.1.2` or `2.1.2+cu118`; None where it is written otherwise."""
    match = _VERSION.fullmatch(version)
    return None if match is None else Release(int(match[1]), int(match[2]))


def known() -> tuple[Release, ...]:
    """Return the releases that the table distinguishes, the oldest first."""
    return tuple(Release(*map(int, version.split("."))) for version in _table()["releases"])


def since(name: str) -> Release:
    """Return the first known release with a function (`torch.fill`), a method (`Tensor.put`) or an argument of one."""
    return Release(*map(int, _table()["since"][name].split(".")))


@cache
def _table() -> Any:
    return json.loads(Path(__file__).with_name("releases.json").read_text("utf-8"))
