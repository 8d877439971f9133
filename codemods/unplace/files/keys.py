"""Keys under which results are remembered from one run to the next: they differ wherever the results may."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path


@cache
def tool() -> str:
    """Return a digest of unplace's own files and the version of Python: the results of others don't hold here."""
    digest = hashlib.sha256(repr(sys.version_info).encode())
    folder = Path(__file__).parents[1]
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".json")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def key_of(*parts: str) -> str:
    """Return a key that differs where any of the parts, unplace or Python differs."""
    digest = hashlib.sha256()
    for part in (tool(), *parts):
        data = part.encode(errors="surrogateescape")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def digest_of(data: bytes) -> str:
    """Return the digest of a file's contents."""
    return hashlib.sha256(data).hexdigest()
