"""The cross product matrix of each vector of a batch, with dtype and device taken from the vector.

Torch: vmap: inplace arithmetic
"""
import torch
import torch.nn as nn


def hat(w):
    W = torch.zeros((3, 3), dtype=w.dtype, device=w.device)
    W[0, 1], W[0, 2] = -w[2], w[1]
    W[1, 0], W[1, 2] = w[2], -w[0]
    W[2, 0], W[2, 1] = -w[1], w[0]
    return W


class Twist(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([[0.1, 0.2, 0.3], [0.4, -0.5, 0.6]]))

    def forward(self, v):
        return torch.matrix_exp(torch.func.vmap(hat)(self.w)) @ v


def example():
    torch.manual_seed(0)
    return Twist(), (torch.randn(3, requires_grad=True),)
