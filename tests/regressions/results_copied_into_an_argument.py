"""A result copied into an argument (`y[...] = F.elu(y.clone())`) doesn't overwrite what its operation saved."""

import torch
import torch.nn.functional as F


def activate(y: torch.Tensor, power: torch.Tensor):
    F.elu(y, inplace=True)
    y.pow_(power)
    y *= 2


def run(x: torch.Tensor):
    kept = [x + 1]
    activate(kept[0], torch.tensor(3.0))
    return kept


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
