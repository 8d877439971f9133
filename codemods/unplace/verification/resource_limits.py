"""The limits on the time and memory of a process that runs users' code."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

GIB = 2**30
SECONDS = 300.0
COMMAND_SECONDS = 3600.0
"""The default limits in seconds for a step of an entry, and for a run of a command."""


def physical_memory() -> int | None:
    """Return the bytes of memory that the machine has; None where the system doesn't tell."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits: `seconds` for each step of a process and, on Linux, `memory` in bytes for its data (None: no limit)."""

    seconds: float = SECONDS
    memory: int | None = None

    def apply(self) -> None:
        """Limit the memory of this process and of those that it starts."""
        if self.memory is None or sys.platform != "linux":
            return
        import resource

        # Of data, not of the address space: CUDA reserves far more addresses than it uses.
        resource.setrlimit(resource.RLIMIT_DATA, (self.memory, self.memory))
