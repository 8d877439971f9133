"""Gram-Schmidt orthogonalisation of the columns of a learned matrix.

Torch: modified by an inplace operation
"""
import torch


def gram_schmidt(A):
    n = A.shape[1]
    Q = torch.zeros_like(A)
    for i in range(n):
        v = A[:, i].clone()
        for j in range(i):
            v -= torch.dot(Q[:, j], v) * Q[:, j]
        Q[:, i] = v / v.norm()
    return Q


def example():
    torch.manual_seed(0)
    return gram_schmidt, (torch.randn(3, 3, requires_grad=True),)
