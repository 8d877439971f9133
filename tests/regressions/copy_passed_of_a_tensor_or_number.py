"""A number is passed on some ways to a helper that asks `isinstance`."""

import torch


def helper(x):
    if not isinstance(x, torch.Tensor):
        return 1.0
    x.mul_(2)
    return x.sum()


def f(a):
    h = a.exp() if a.sum() > 100 else 3.0
    s = h.pow(2).sum() if torch.is_tensor(h) else 0.0
    return s + helper(h)


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
