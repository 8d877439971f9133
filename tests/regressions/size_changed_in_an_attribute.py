"""The attribute that gave a view its shape has changed: the view can't be made again from it."""

import torch
from torch import nn


class M(nn.Module):
    def forward(self, x: torch.Tensor):
        y = x.exp()
        self.n = 2
        v = y.view(self.n, -1)
        self.n = 4
        y += 1
        return v


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
