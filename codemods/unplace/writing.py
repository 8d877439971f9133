"""Replace a file's contents: all of it or nothing."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


class WriteError(Exception):
    """Why a file was not written; it is as it was."""


def replace_contents(path: str, before: bytes, after: bytes) -> None:
    """Write `after` to the file that held `before`; raises `WriteError` and leaves it alone where that can't be.

    The new contents go to a temporary file in the same folder, which takes the file's place in one step. Mode bits
    stay, and so does the owner where the system lets us set it; of a link, the file that it points to is replaced.
    """
    target = os.path.realpath(path)
    try:
        status = Path(target).stat()
        if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
            raise WriteError("cannot write: the file is read-only; make it writable (chmod u+w) and run again")
        _replace(target, status, before, after)
    except OSError as error:
        raise WriteError(f"cannot write: {error.strerror or error}; the file is as it was") from error


def _replace(target: str, status: os.stat_result, before: bytes, after: bytes) -> None:
    folder = str(Path(target).parent)
    descriptor, temporary = tempfile.mkstemp(prefix=".unplace-", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        if hasattr(os, "chown"):  # before the mode: a change of owner clears the set-user bits
            with contextlib.suppress(PermissionError):
                os.chown(temporary, status.st_uid, status.st_gid)
        Path(temporary).chmod(stat.S_IMODE(status.st_mode))
        if Path(target).read_bytes() != before:
            raise WriteError("changed on disk since it was read, so it was left alone; run again")
        os.replace(temporary, target)  # noqa: PTH105  (one name for the system call that everything rests on)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
