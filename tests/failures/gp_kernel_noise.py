"""A Gaussian process: noise goes onto the diagonal of an RBF kernel in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class GP(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_ls = nn.Parameter(torch.tensor(0.0))
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    def kernel(self, a, b):
        d2 = (a[:, None] - b[None, :]).pow(2)
        return torch.exp(-0.5 * d2 / self.log_ls.exp() ** 2)

    def forward(self, x, y):
        K = torch.exp(-0.5 * (x[:, None] - x[None, :]).pow(2) / self.log_ls.exp() ** 2)
        K.diagonal().add_(self.log_noise.exp())
        L = torch.linalg.cholesky(K)
        a = torch.cholesky_solve(y.unsqueeze(1), L)
        return 0.5 * (y * a.squeeze(1)).sum() + L.diagonal().log().sum()


def example():
    torch.manual_seed(0)
    return GP(), (torch.randn(4), torch.randn(4))
