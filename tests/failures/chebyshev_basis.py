"""Chebyshev polynomials for a KAN layer, by recurrence in a preallocated tensor.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ChebyKANLayer(nn.Module):
    def __init__(self, input_dim, output_dim, degree):
        super().__init__()
        self.degree = degree
        self.coeffs = nn.Parameter(torch.randn(input_dim, output_dim, degree + 1))

    def forward(self, x):
        x = torch.tanh(x)
        cheby = torch.ones(x.shape[0], x.shape[1], self.degree + 1, device=x.device)
        if self.degree > 0:
            cheby[:, :, 1] = x
        for i in range(2, self.degree + 1):
            cheby[:, :, i] = 2 * x * cheby[:, :, i - 1] - cheby[:, :, i - 2]
        return torch.einsum("bid,iod->bo", cheby, self.coeffs)


def example():
    torch.manual_seed(0)
    return ChebyKANLayer(2, 2, 4), (torch.randn(2, 2, requires_grad=True),)
