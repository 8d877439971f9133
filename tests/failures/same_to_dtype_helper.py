"""A helper converts to its own dtype, writes there and gives the result back; the caller uses both.

Torch: modified by an inplace operation
"""
import torch


def stabilise(logits, dtype=torch.float32):
    logits = logits.to(dtype)
    logits -= logits.amax(-1, keepdim=True)
    return logits.exp()


def focal(x, w):
    logits = torch.sigmoid(x @ w) * 3
    p = torch.tanh(logits)
    e = stabilise(p)
    return (e / e.sum(-1, keepdim=True)).pow(2).sum()


def example():
    torch.manual_seed(0)
    return focal, (torch.randn(2, 3), torch.randn(3, 2, requires_grad=True))
