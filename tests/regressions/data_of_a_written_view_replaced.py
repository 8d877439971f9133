"""A view is written by an activation and by another name of it, and gets `.data` of another shape then."""

import torch
import torch.nn.functional as F


def run(x: torch.Tensor):
    p = torch.tanh(x)
    part = p[1]
    scores = F.silu(part, inplace=True)
    rest = part.view(-1)
    rest -= 1
    part.data = torch.zeros(2, 2)
    return scores.shape, p


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
