"""Keys of what is remembered from one run to the next: they differ wherever the answer may."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@cache
def tool() -> str:
    """The version of unplace and of Python, to the letter: what another one found doesn't hold for this one."""
    digest = hashlib.sha256(repr(sys.version_info).encode())
    folder = Path(__file__).parents[1]
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".json")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def key_of(*parts: str) -> str:
    """A key that differs where any of the parts does."""
    digest = hashlib.sha256()
    for part in (tool(), *parts):
        data = part.encode(errors="surrogateescape")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def digest_of(data: bytes) -> str:
    """What stands for the contents of a file."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Basis:
    """What becomes of a file follows from its own text, from that of these files of the run, and from this: which of
    these names other files contain.
    """

    files: tuple[str, ...] = ()
    names: tuple[tuple[str, bool], ...] = ()
