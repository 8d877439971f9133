"""Doolittle's factorisation with loops over rows and columns.

Torch: modified by an inplace operation
"""
import torch


def lu(A):
    n = A.shape[0]
    L = torch.eye(n)
    U = torch.zeros(n, n)
    for i in range(n):
        for k in range(i, n):
            U[i, k] = A[i, k] - (L[i, :i] * U[:i, k]).sum()
        for k in range(i + 1, n):
            L[k, i] = (A[k, i] - (L[k, :i] * U[:i, i]).sum()) / U[i, i]
    return L, U


def example():
    torch.manual_seed(0)
    return lu, ((torch.randn(3, 3) + 3 * torch.eye(3)).requires_grad_(),)
