"""The random generators that a program can draw from: torch's, Python's and NumPy's."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch

SEED = 20250130


@contextmanager
def seeded() -> Iterator[None]:
    """Start all generators from one seed, and restore their states at the end of the `with` block."""
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
    python, numpy = random.getstate(), sys.modules.get("numpy")
    outer = numpy.random.get_state() if numpy is not None else None
    with torch.random.fork_rng(devices=devices):
        _seed_torch()
        random.seed(SEED)
        if numpy is not None:
            numpy.random.seed(SEED % 2**32)
        try:
            yield
        finally:
            random.setstate(python)
            if numpy is not None:
                numpy.random.set_state(outer)


def _seed_torch() -> None:
    """Seed torch's generators: of devices that aren't there, none, as torch would note each call with its stack."""
    if _has_devices():
        torch.manual_seed(SEED)
    else:
        torch.default_generator.manual_seed(SEED)


@cache
def _has_devices() -> bool:
    """Whether there may be a device beside the processor; an earlier torch doesn't tell."""
    return not hasattr(torch, "accelerator") or torch.accelerator.is_available()


def state() -> dict[str, bytes]:
    """Return the state of each generator that is in use, by its name."""
    found = {"torch": torch.get_rng_state().numpy().tobytes(), "random": pickle.dumps(random.getstate())}
    if torch.cuda.is_initialized():
        found["torch.cuda"] = b"".join(state.numpy().tobytes() for state in torch.cuda.get_rng_state_all())
    if "numpy" in sys.modules:
        found["numpy.random"] = pickle.dumps(sys.modules["numpy"].random.get_state())
    return found
