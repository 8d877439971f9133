"""Turns objects into bytes and back, for the databases in which runs remember their results."""

from __future__ import annotations

import pickle
import zlib
from typing import Any


class UnpackError(Exception):
    """Raised where bytes are no packed object."""


def packed(value: object) -> bytes:
    """Return an object as bytes, pickled and compressed."""
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)


def unpacked(data: bytes) -> Any:
    """Return the object that `packed` turned into these bytes; raise `UnpackError` where they are damaged.

    The bytes must have been written by this tool: unpickling others could run any code.
    """
    try:
        return pickle.loads(zlib.decompress(data))
    except (zlib.error, pickle.UnpicklingError, EOFError) as error:
        raise UnpackError(str(error)) from error
