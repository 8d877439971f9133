"""`clamp_` keeps a half tensor half: with a bound that is a wider tensor the result is cast back."""

import torch


def f(x: torch.Tensor):
    y = (x * 2).half()
    y.clamp_(min=x)
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
