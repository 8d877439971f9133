"""A decomposition that may fail; jitter goes onto the diagonal in the handler's loop.

Torch: modified by an inplace operation
"""
import torch


def safe_cholesky(x, jitter=0.1):
    k = torch.exp(-(x[:, None] - x[None, :]) ** 2)
    trace = k.pow(2).sum()
    try:
        k.diagonal().add_(jitter)
        chol = torch.linalg.cholesky(k)
    except RuntimeError:
        k += torch.eye(len(x))
        chol = torch.linalg.cholesky(k)
    else:
        chol *= 2
    return chol.diagonal().log().sum() + trace


def example():
    torch.manual_seed(0)
    return safe_cholesky, (torch.randn(3, requires_grad=True),)
