"""A lambda of the file looks at the memory of a permuted tensor, which is used on after the write."""

import torch

first = lambda t: torch.as_strided(t, (2,), (1,))


def run(x):
    r = x.abs().permute(1, 0).mul(2).permute(1, 0)
    r.masked_scatter_(r > 0.5, r * 2)
    r -= r.mean(0)
    return first(r)


def example():
    return run, (torch.tensor([[-0.1, -1.6, -1.1], [-1.7, -0.6, -0.2]], requires_grad=True),)
