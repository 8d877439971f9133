"""A real tensor takes no complex number in place, and the run handles the error."""

from contextlib import suppress

import torch


def run(x):
    e = x.detach().half()
    with suppress(RuntimeError):
        e += 1j
    return e


def example():
    return run, (torch.tensor([[-0.5, 1.0], [0.1, 1.3]]),)
