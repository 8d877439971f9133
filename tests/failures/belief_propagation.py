"""Loopy belief propagation with the messages in one tensor, updated edge by edge.

Torch: modified by an inplace operation
"""
import torch


def loopy_bp(unary, pairwise, edges, n_iter=2):
    n, k = unary.shape
    phi = torch.exp(unary)
    psi = torch.exp(pairwise)
    directed = [(i, j) for i, j in edges] + [(j, i) for i, j in edges]
    msgs = torch.ones(len(directed), k) / k
    for _ in range(n_iter):
        for e, (i, j) in enumerate(directed):
            prod = phi[i].clone()
            for f, (a, b) in enumerate(directed):
                if b == i and a != j:
                    prod *= msgs[f]
            msgs[e] = prod @ psi
            msgs[e] /= msgs[e].sum()
    belief = phi * 1
    for e, (i, j) in enumerate(directed):
        belief[j] *= msgs[e]
    return belief / belief.sum(1, keepdim=True)


def example():
    torch.manual_seed(0)
    return loopy_bp, (torch.randn(3, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True), [(0, 1), (1, 2)])
