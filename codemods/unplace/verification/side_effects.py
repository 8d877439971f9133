"""Keeps calls that nobody wrote from changing anything outside of their process."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

_FORBIDDEN = {
    "os.chmod": "changes a file",
    "os.chown": "changes a file",
    "os.exec": "starts a program",
    "os.kill": "ends a process",
    "os.killpg": "ends a process",
    "os.link": "makes a link",
    "os.mkdir": "makes a folder",
    "os.posix_spawn": "starts a program",
    "os.remove": "removes a file",
    "os.rename": "renames a file",
    "os.rmdir": "removes a folder",
    "os.spawn": "starts a program",
    "os.symlink": "makes a link",
    "os.system": "starts a program",
    "os.truncate": "changes a file",
    "socket.bind": "uses the network",
    "socket.connect": "uses the network",
    "socket.getaddrinfo": "uses the network",
    "socket.sendto": "uses the network",
    "subprocess.Popen": "starts a program",
}
"""CPython's audit events, https://docs.python.org/3/library/audit_events.html, and what they tell of a call."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class SideEffectError(PermissionError):
    """Raised where a call would change something outside of its process."""


def forbid_side_effects() -> None:
    """Have Python raise `SideEffectError` in this process from now on where code writes files, starts programs, or
    uses the network; temporary files are allowed.

    What compiled code does by itself isn't seen, such as `torch.save` to a path: this guards against accidents, not
    against malice.
    """
    temporary = Path(tempfile.gettempdir()).resolve()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        told = _FORBIDDEN.get(event)
        if event == "open":
            told = "writes a file" if isinstance(arguments[2], int) and arguments[2] & _WRITES else None
            if isinstance(arguments[0], int):
                return  # it is open already
        if told is not None and not (arguments and _is_temporary(arguments[0], temporary)):
            raise SideEffectError(f"it {told}, which a call that nobody wrote may not")

    sys.addaudithook(hook)


def _is_temporary(place: object, folder: Path) -> bool:
    """Tell whether something is a path in a folder, or of the file that keeps nothing."""
    if not isinstance(place, str | bytes | os.PathLike):
        return False
    path = os.fsdecode(place)
    return path == os.devnull or (os.sep in path and Path(path).resolve().is_relative_to(folder))
