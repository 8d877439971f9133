"""Pairwise similarities in a double loop, with the diagonal treated afterwards.

Torch: modified by an inplace operation
"""
import torch


def similarity(a, b, tau):
    sim = torch.empty(a.size(0), b.size(0))
    for i in range(a.size(0)):
        for j in range(b.size(0)):
            sim[i, j] = torch.dot(a[i], b[j]) / tau
    sim = torch.exp(sim)
    for i in range(min(sim.shape)):
        sim[i, i] = 0
    return -torch.log(sim.sum(1)).mean()


def example():
    torch.manual_seed(0)
    return similarity, (torch.randn(3, 2, requires_grad=True), torch.randn(3, 2), torch.tensor(0.8, requires_grad=True))
