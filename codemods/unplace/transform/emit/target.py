"""Availability of functions and arguments in the oldest torch that the code has to run on."""

from __future__ import annotations

from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.torchapi.releases import since
from unplace.transform.sites import Site


def missing(site: Site, name: str) -> Reason | None:
    """Return why a function, or an argument of one, can't be used; None if it can."""
    target = site.options.target_torch
    if target is None or since(name) <= target:
        return None
    return Refusal.TOO_NEW(name=name, since=str(since(name)), target=str(target))
