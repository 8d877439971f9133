"""The index with which a view was taken stands in an attribute and is changed: the view can't be made again with it."""

import torch
from torch import nn


class M(nn.Module):
    def forward(self, x: torch.Tensor):
        self.i = 0
        y = x.exp()
        v = y[self.i]
        self.i = 1
        y += 1
        return v, y


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
