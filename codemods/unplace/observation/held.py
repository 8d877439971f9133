"""Holders of a tensor's memory as data: names of callers, attributes, containers and the like."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class HolderKind(str, Enum):
    """A kind of holder, as the file of facts names it."""

    CALLER = "caller"
    ATTRIBUTE = "attribute"
    CONTAINER = "container"
    GLOBAL = "global"
    CLOSURE = "closure"
    NEIGHBOUR = "neighbour"
    UNKNOWN = "unknown"


class Holder(NamedTuple):
    """A holder of memory.

    `name` is that of a caller's variable (`x`, `self.h`), of the class that has an attribute, or of the type of a
    container. `function` and `place` (`train.py:12`) are the caller's. A neighbour is another element of the container
    of the tensor; memory of which torch has no address is held by unknown ones.
    """

    kind: HolderKind
    name: str = ""
    function: str = ""
    place: str = ""

    @property
    def outlives_callers(self) -> bool:
        """Tell whether the holder may be there after all callers have returned."""
        return self.kind is not HolderKind.CALLER
