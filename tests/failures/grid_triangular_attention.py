"""Causal attention weights by hand: the inner loop runs to the outer index.

Torch: modified by an inplace operation
"""
import torch


def causal_scores(q, k, v):
    T = q.size(0)
    att = torch.zeros(T, T)
    for t in range(T):
        for s in range(t + 1):
            att[t, s] = torch.exp((q[t] * k[s]).sum())
        att[t] = att[t] / att[t].sum()
    return att @ v


def example():
    torch.manual_seed(0)
    return causal_scores, tuple(torch.randn(3, 2, requires_grad=True) for _ in range(3))
