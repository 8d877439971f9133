"""Narrow integers keep their dtype in place, whatever is added: wider ones, sums, products, rounded quotients."""

import torch


def _add(h, v):
    h += v
    return h


def added(x: torch.Tensor):
    y = x * 2
    y += torch.arange(2)
    z = x * 3
    z.div_(torch.tensor([1, 2], dtype=torch.int64), rounding_mode="floor")
    return y, z


def summed(x: torch.Tensor, w: torch.Tensor):
    y = x * 3
    y += x.sum(0, keepdim=True)
    z = x * 2
    z += w.prod(0)
    return y, z, _add(x * 2, x.cumsum(0))


def run(x: torch.Tensor, w: torch.Tensor):
    return added(x), summed(x, w)


def example():
    return run, (torch.tensor([[1, 2], [3, 4]], dtype=torch.int32), torch.tensor([[1, 2], [3, 4]], dtype=torch.int16))
