"""Only half precision is converted; other dtypes stay the same tensor.

Torch: modified by an inplace operation
"""
import torch


def safe_norm(x, eps):
    if x.dtype == torch.float16:
        x = x.float()
    x /= x.norm(dim=-1, keepdim=True) + eps
    return x


def cosine(a, b, w):
    a, b = torch.exp(a @ w), torch.exp(b @ w)
    return (safe_norm(a, 1e-6) * safe_norm(b, 1e-6)).sum()


def example():
    torch.manual_seed(0)
    return cosine, (torch.randn(2, 2), torch.randn(2, 2), torch.randn(2, 2, requires_grad=True))
