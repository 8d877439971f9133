"""Replaces the contents of files, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from unplace import signals


class WriteError(Exception):
    """Raised where a file was not written; it is as it was, and the message says why."""


def replace_contents(path: str, before: bytes, after: bytes) -> None:
    """Write `after` to the file that holds `before`; raise `WriteError` and leave it alone where that can't be done.

    The new contents go to a temporary file in the same folder, which takes the file's place in one step; signals that
    would end the process wait for that. Mode bits and extended attributes stay, and so does the owner where the system
    lets us set it. Of a symbolic link, the file that it points to is replaced; other hard links keep the old contents.
    """
    target = os.path.realpath(path)
    try:
        status = Path(target).stat()
        if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
            raise WriteError("cannot write: the file is read-only; make it writable (chmod u+w) and run again")
        if not os.access(Path(target).parent, os.W_OK | os.X_OK):
            raise WriteError("cannot write: its folder is read-only; make it writable (chmod u+w) and run again")
        with signals.put_off():
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
            for owner in (status.st_uid, -1):  # the group alone, where the file is somebody else's
                with contextlib.suppress(PermissionError):
                    os.chown(temporary, owner, status.st_gid)
                    break
        shutil.copystat(target, temporary)
        os.utime(temporary)
        if Path(target).read_bytes() != before:
            raise WriteError("changed on disk since it was read, so it was left alone; run again")
        os.replace(temporary, target)  # noqa: PTH105  (one name for the system call that everything rests on)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
