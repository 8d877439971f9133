"""A leaf that a helper makes, by way of a conversion, is changed and stays the leaf whose gradient others ask for."""

import torch


def init(size, scale):
    torch.manual_seed(0)
    return (torch.randn(size) * scale).to(torch.float64).requires_grad_()


def gradients(params):
    return [None if p.grad is None else p.grad * 2 for p in params]


def f(x: torch.Tensor):
    weights = init((2, 1), 0.1)
    weights[0] += 0.5
    ((x.double() @ weights) ** 2).sum().backward()
    return weights, gradients([weights])


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]]),)
