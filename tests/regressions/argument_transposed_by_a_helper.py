"""A helper transposes its argument in place: views of what the caller passed can't be made again from the result."""

import torch


def remember(acc: torch.Tensor):
    acc.tanh_()
    acc.transpose_(0, 1)


def run(x: torch.Tensor, b: torch.Tensor):
    t = x + 1
    part = t.view(2, 2)
    remember(part)
    part += b
    (*xs,) = t
    return xs


def example():
    return run, (
        torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),
        torch.tensor([0.5, 2.0], requires_grad=True),
    )
