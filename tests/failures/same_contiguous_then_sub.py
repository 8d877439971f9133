"""`contiguous` gives the same tensor, which a normalisation then writes.

Torch: modified by an inplace operation
"""
import torch


def center(x):
    x = x.contiguous()
    x -= x.mean(-1, keepdim=True)
    return x


def forward(inp, w):
    h = torch.tanh(inp @ w)
    return center(h).pow(2).sum()


def example():
    torch.manual_seed(0)
    return forward, (torch.randn(3, 2), torch.randn(2, 2, requires_grad=True))
