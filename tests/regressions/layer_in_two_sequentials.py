"""One layer stands in two Sequentials, first in one of them: there it overwrites an input that is read afterwards."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        act = nn.ReLU(inplace=True)
        self.a = nn.Sequential(nn.Linear(2, 2), act)
        self.b = nn.Sequential(act, nn.Linear(2, 2))

    def forward(self, x: torch.Tensor):
        z = x - 1
        h = self.a(x)
        w = self.b(z)
        return h + w + z


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
