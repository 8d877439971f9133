"""Objects as bytes for the databases in which runs remember what they found."""

from __future__ import annotations

import pickle
import zlib
from typing import Any


class UnpackError(Exception):
    """The bytes are no packed object."""


def packed(value: object) -> bytes:
    """The bytes that stand for an object."""
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)


def unpacked(data: bytes) -> Any:
    """The object of some bytes that this tool has written; raises `UnpackError` where they are damaged."""
    try:
        return pickle.loads(zlib.decompress(data))
    except (zlib.error, pickle.UnpicklingError, EOFError) as error:
        raise UnpackError(str(error)) from error
