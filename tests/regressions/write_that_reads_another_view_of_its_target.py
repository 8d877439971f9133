"""A write that reads another view of what it writes has no right gradient: nothing about its tensor is changed."""

import torch


def run(x: torch.Tensor):
    r = torch.where(x.T > 1, 0, x.T)
    top, right, _, _ = r
    r.sub_(top)
    r.sin_()
    return r * right


def example():
    return run, (torch.tensor([[1.4, -1.7, -0.4, -1.1], [-0.9, 1.7, 1.8, -0.7]], requires_grad=True),)
