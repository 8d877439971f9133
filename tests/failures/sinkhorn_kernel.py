"""Sinkhorn normalisation of an exponentiated cost matrix, rows and columns in turns.

Torch: modified by an inplace operation
"""
import torch


def sinkhorn(C, eps=0.5, n_iter=3):
    P = torch.exp(-C / eps)
    for _ in range(n_iter):
        P /= P.sum(dim=1, keepdim=True)
        P /= P.sum(dim=0, keepdim=True)
    return P


def example():
    torch.manual_seed(0)
    return sinkhorn, (torch.rand(3, 3, requires_grad=True),)
