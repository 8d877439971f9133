"""A name that `del` ended isn't bound again with the others of its tensor."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    del y
    b += 1
    return b


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
