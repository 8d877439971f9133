"""The input of an in-place function has a second name, which is read afterwards: the flag has to stay."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, inplace=True):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.inplace = inplace

    def forward(self, x):
        k = self.lin(x)
        h = k
        y = F.relu(h, inplace=self.inplace)
        return y + k.cos()


def example():
    torch.manual_seed(0)
    return Net(), (torch.tensor([[0.5, -1.5]], requires_grad=True),)
