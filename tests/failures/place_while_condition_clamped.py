"""A power iteration's residual is updated in the header of the while loop.

Torch: modified by an inplace operation
"""
import torch


def solve(A, b, max_iter=4):
    x = torch.zeros_like(b)
    r = torch.tanh(b)
    k = 0
    while r.mul_(0.9).norm() > 1e-2 and k < max_iter:
        x = x + r * r
        r = torch.tanh(b - A @ x)
        k += 1
    return x.sum()


def example():
    torch.manual_seed(0)
    return solve, (0.1 * torch.randn(3, 3, requires_grad=True), torch.randn(3, requires_grad=True))
