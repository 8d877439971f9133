"""A latent code for optimisation, scaled after it was made a leaf.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch


def init_and_score(W, n, scale):
    z = torch.linspace(-1, 1, n, requires_grad=True)
    z *= scale
    return torch.tanh(W @ z).sum()


def example():
    torch.manual_seed(0)
    return init_and_score, (torch.randn(2, 3), 3, 0.1)
