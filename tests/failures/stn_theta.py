"""A spatial transformer whose predicted affine matrix is constrained in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class STN(nn.Module):
    def __init__(self):
        super().__init__()
        self.loc = nn.Linear(9, 6)

    def forward(self, x):
        theta = torch.tanh(self.loc(x.flatten(1))).view(-1, 2, 3)
        theta[:, 0, 1] = 0   # no shear
        theta[:, 1, 0] = 0
        theta[:, [0, 1], [0, 1]] += 0.9
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


def example():
    torch.manual_seed(0)
    return STN(), (torch.rand(1, 1, 3, 3),)
