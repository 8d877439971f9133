"""A field of an own class is called `data`: storing there is no store to the `.data` of a tensor."""

from dataclasses import dataclass

import torch


@dataclass
class Batch:
    data: torch.Tensor


def scaled(x):
    batch = Batch(x.exp())
    batch.data *= 2
    other = Batch(x.sigmoid())
    other.data.mul_(x.detach())
    other.data[0] = 1.0
    other.data = other.data.exp()
    other.data.add_(1)
    return batch.data, other.data


def example():
    torch.manual_seed(0)
    return scaled, (torch.randn(4, requires_grad=True),)
