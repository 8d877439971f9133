"""A fixed point iteration computes its error in the loop header with a walrus.

Torch: modified by an inplace operation
"""
import torch


def equilibrium(w, x, max_iter=1):
    z = torch.tanh(x)
    n = 0
    while (err := (torch.tanh(z @ w + x) - z).norm()) > 1e-2:
        z += 0.5 * (torch.tanh(z @ w + x) - z) * z
        n += 1
        if n > max_iter:
            break
    return z.sum() + 0.1 * err


def example():
    torch.manual_seed(0)
    return equilibrium, ((0.3 * torch.randn(2, 2)).requires_grad_(), torch.randn(2))
