"""The Thomas algorithm for a tridiagonal system, overwriting its copies.

Torch: modified by an inplace operation
"""
import torch


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = c.clone(), d.clone()
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = torch.empty_like(d)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def example():
    torch.manual_seed(0)
    a, c, d = (torch.randn(4, requires_grad=True) for _ in range(3))
    return thomas, (a, (torch.rand(4) + 4).requires_grad_(), c, d)
