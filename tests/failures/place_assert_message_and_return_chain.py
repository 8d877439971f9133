"""The result is scaled in the return statement, twice, in a chain.

Torch: modified by an inplace operation
"""
import torch


def attention(q, k, v, mask):
    w = torch.exp(q @ k.t())
    w /= (total := w.sum(-1, keepdim=True))
    return (w.masked_fill_(mask, 0) @ v).div_(total.sqrt_())


def example():
    torch.manual_seed(0)
    q, k, v = (torch.randn(3, 2, requires_grad=True) for _ in range(3))
    return attention, (q, k, v, torch.eye(3, dtype=torch.bool))
