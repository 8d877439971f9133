"""`addcmul_` keeps a half tensor half: out of place, with wider operands, the result is cast back."""

import torch


def f(x: torch.Tensor):
    y = (x * 1).half()
    y.addcmul_(x, x)
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
