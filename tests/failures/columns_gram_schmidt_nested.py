"""Modified Gram-Schmidt: each column loses its part along all columns before.

Torch: modified by an inplace operation
"""
import torch


def orthogonalise(V):
    Q = V.clone()
    n = Q.shape[1]
    for i in range(n):
        for j in range(i):
            Q[:, i] -= (Q[:, j] @ Q[:, i]) * Q[:, j]
        Q[:, i] /= Q[:, i].norm()
    return Q


def example():
    torch.manual_seed(0)
    return orthogonalise, (torch.randn(3, 2, requires_grad=True),)
