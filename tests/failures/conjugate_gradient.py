"""Differentiable conjugate gradients, with the textbook updates in place.

Torch: modified by an inplace operation
"""
import torch


def cg(A, b, n_iter=3):
    x = torch.zeros_like(b)
    r = b - A @ x
    p = r.clone()
    rs = r @ r
    for i in range(n_iter):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        p *= rs_new / rs
        p += r
        rs = rs_new
    return x


def solve(M, b):
    return cg(M @ M.T + 3 * torch.eye(len(b)), b)


def example():
    torch.manual_seed(0)
    return solve, (torch.randn(4, 4, requires_grad=True), torch.randn(4, requires_grad=True))
