"""The residual is updated in the condition of the solver's loop.

Torch: modified by an inplace operation
"""
import torch


def solve(a, b, tol=0.05):
    x = torch.zeros_like(b)
    r = torch.tanh(b)
    it = 0
    while r.sub_(a * torch.sigmoid(r)).norm() > tol and it < 3:
        x = x + r * r
        it += 1
    return x.sum()


def example():
    torch.manual_seed(0)
    return solve, (torch.tensor(0.5, requires_grad=True), torch.randn(3, requires_grad=True))
