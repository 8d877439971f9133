"""`y += (y := x.sin())` has read `y` before the walrus binds it: the sum goes with the first one."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y += (y := x.sin())
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
