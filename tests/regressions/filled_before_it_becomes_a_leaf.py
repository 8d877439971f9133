"""A tensor that is filled and then becomes a leaf stays that very leaf."""

import torch


def run(x: torch.Tensor):
    q = torch.zeros_like(x)
    q.normal_()
    q.requires_grad_()
    return q * x


def example():
    torch.manual_seed(0)
    return run, (torch.tensor([1.0, -2.0], requires_grad=True),)
