"""A layer is also called by its key in a ModuleDict, where its input is read afterwards."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.b = nn.ModuleDict({"a": self.act})

    def forward(self, x: torch.Tensor):
        z = x - 1
        h = self.act(x * 2)
        w = self.b["a"](z)
        return h + w * 2 + z


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
