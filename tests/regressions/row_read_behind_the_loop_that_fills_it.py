"""A row taken from a fresh tensor before it is filled sees what the loop stores."""

import torch


def f(x: torch.Tensor):
    out = torch.zeros(2, 2)
    r = out[0]
    for i in range(2):
        out[i] = x[i]
    return out, r * 2


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
