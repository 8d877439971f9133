"""An embedding made with `_weight=w` has `w` itself as its parameter."""

import torch
from torch import nn


def run(x: torch.Tensor):
    weight = torch.ones(2, 2)
    embed = nn.Embedding(2, 2, _weight=weight)
    weight += 1
    return x * embed(torch.tensor([0]))


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
