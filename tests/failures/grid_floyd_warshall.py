"""Soft shortest paths with three nested loops.

Torch: modified by an inplace operation
"""
import torch


def softmin2(a, b, beta):
    return -torch.logaddexp(-beta * a, -beta * b) / beta


def shortest_paths(w, beta):
    d = w.clone()
    n = d.size(0)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = softmin2(d[i, j], d[i, k] + d[k, j], beta)
    return d


def example():
    torch.manual_seed(0)
    return shortest_paths, (torch.rand(2, 2, requires_grad=True), torch.tensor(2.0, requires_grad=True))
