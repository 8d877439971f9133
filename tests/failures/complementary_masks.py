"""Inside and outside of a mask are filled with different functions of the saved field.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PiecewiseField(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = nn.Parameter(torch.tensor([0.5, 2.0]))

    def forward(self, p):
        r = p.norm(dim=-1)
        inside = r < 1.0
        phi = torch.empty_like(r)
        phi[inside] = self.k[0] * r[inside] ** 2
        phi[~inside] = self.k[1] / r[~inside]
        r[inside] = 1.0
        r.reciprocal_()
        return phi * r


def example():
    torch.manual_seed(0)
    return PiecewiseField(), (torch.randn(5, 2, requires_grad=True),)
