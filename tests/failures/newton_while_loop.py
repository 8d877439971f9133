"""Newton's method inside the model, until convergence.

Torch: modified by an inplace operation
"""
import torch


def implicit_root(a, b, tol=1e-6, max_iter=4):
    # x^3 + a x = b
    x = torch.ones_like(a)
    it = 0
    while it < max_iter:
        f = x ** 3 + a * x - b
        if f.abs().max() < tol:
            break
        x -= f / (3 * x ** 2 + a)
        it += 1
    return x


def example():
    torch.manual_seed(0)
    return implicit_root, ((torch.rand(3) + 1).requires_grad_(), torch.randn(3, requires_grad=True))
