"""A piece that `.data` gave other memory is no part of the whole any more, which isn't put together from it."""

import torch


def run(x: torch.Tensor):
    whole = x.exp()
    first, second = whole.chunk(2, dim=0)
    first.data = first.data * 2
    second += 1
    return first.detach(), whole, second


def example():
    return run, (torch.tensor([[0.5, 1.5], [-0.3, 0.1]], requires_grad=True),)
