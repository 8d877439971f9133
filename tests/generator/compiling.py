"""A program under `torch.compile`: what it returns, and what its arguments are then."""

from __future__ import annotations

import logging

import torch

from unplace.verification.examples import Maker
from unplace.verification.isolation import fresh
from unplace.verification.observe import Observation, describe, notes, state_of


def called(make: Maker, *, compiled: bool) -> Observation:
    """One run that nothing watches, since a watcher would be compiled, too."""
    torch._logging.set_logs(all=logging.CRITICAL)
    torch._dynamo.reset()
    try:
        with fresh(make) as program:
            function = torch.compile(program.function, backend="eager") if compiled else program.function
            result = function(*program.arguments, **program.keywords)
            return Observation(notes(result, "output"), state_of(program))
    except TimeoutError:
        raise
    except Exception as error:
        return Observation(error=describe(error))
