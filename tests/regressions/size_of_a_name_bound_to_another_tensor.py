"""A view got its size from a name that means another tensor by now: the view can't be made again from it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = y[0]
    v = y.view(z.size(0), -1)
    z = torch.zeros(4)
    y += 1
    return v


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
