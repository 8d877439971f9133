"""A caller passes one tensor for both parameters: what is written to one is read through the other."""

import torch


def step(h: torch.Tensor, bias: torch.Tensor):
    h /= 4
    h.addcmul_(bias, bias)


def run(x: torch.Tensor):
    y = torch.where(x <= 1, x, x)
    for i in range(2):
        step(y, y)
    return y


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
