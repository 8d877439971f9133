"""Gibbs-like sweeps over a list of vectors, each updated from all the others.

Torch: modified by an inplace operation
"""
import torch


def mean_field(unary, coupling, sweeps=2):
    q = [torch.sigmoid(u) for u in unary]
    for _ in range(sweeps):
        for i in range(len(q)):
            msg = 0
            for j in range(len(q)):
                if j != i:
                    msg = msg + torch.tanh(coupling[i, j] * q[j])
            q[i] += 0.1 * msg
    return torch.stack(q)


def example():
    torch.manual_seed(0)
    return mean_field, (torch.randn(3, 2, requires_grad=True), torch.randn(3, 3, requires_grad=True))
