"""A helper makes its argument contiguous and writes it; the caller reads the argument afterwards.

Torch: modified by an inplace operation
"""
import torch


def masked_softmax(scores, mask):
    scores = scores.contiguous()
    scores.masked_fill_(mask, -1e4)
    return scores.softmax(-1)


def attention(q, k, v, mask):
    scores = torch.exp(q @ k.t() / 2)
    weights = masked_softmax(scores, mask)
    entropy = scores.logsumexp(-1).mean()
    return (weights @ v).sum() + entropy


def example():
    torch.manual_seed(0)
    q, k = torch.randn(3, 2, requires_grad=True), torch.randn(3, 2, requires_grad=True)
    return attention, (q, k, torch.randn(3, 2), torch.triu(torch.ones(3, 3, dtype=torch.bool), 1))
