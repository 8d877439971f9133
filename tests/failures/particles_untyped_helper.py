"""A helper with untyped parameters that writes two tensors of its caller.

Torch: modified by an inplace operation
"""
import torch


def _advance(p, v, f, dt):
    v += f(p) * dt
    p += v * dt


def trajectory(start, k, n=3):
    p = start.clone()
    v = torch.zeros_like(p)
    path = [p.sum()]
    for _ in range(n):
        _advance(p, v, lambda q: -k * q, 0.1)
        path.append(p.sum())
    return torch.stack(path)


def example():
    torch.manual_seed(0)
    return trajectory, (torch.randn(2, 2, requires_grad=True), torch.tensor(2.0, requires_grad=True))
