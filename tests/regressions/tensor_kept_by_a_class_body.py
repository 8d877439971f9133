"""A class body binds the tensor as an attribute of the class, which sees later writes."""

import torch


def f(x: torch.Tensor):
    y = x.exp()

    class A:
        h = y

    y += 1
    return A.h * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
