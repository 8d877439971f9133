"""Whether the oldest torch that the code has to run on has what a rewrite would use."""

from __future__ import annotations

from unplace.torchapi.releases import since
from unplace.transform.sites import Site


def missing(site: Site, name: str) -> str | None:
    """Why a function, or an argument of one, can't be used; None where it can."""
    target = site.options.target_torch
    if target is None or since(name) <= target:
        return None
    return f"`{name}` came with torch {since(name)}, and target-torch is {target}"
