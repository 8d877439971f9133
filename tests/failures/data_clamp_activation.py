"""A clamp on .data of an intermediate.

Torch: nothing, the gradient is wrong
"""
import torch


def gaussian_nll(mu, raw_sigma, target):
    sigma = torch.exp(raw_sigma)
    sigma.data.clamp_(min=0.9)
    return (0.5 * ((target - mu) / sigma) ** 2 + torch.log(sigma)).sum()


def example():
    torch.manual_seed(0)
    return gaussian_nll, (torch.randn(4, requires_grad=True), torch.randn(4, requires_grad=True), torch.randn(4))
