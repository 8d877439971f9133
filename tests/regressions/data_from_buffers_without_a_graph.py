"""Values made of buffers alone have no graph: `.data` that gets them isn't rebound, which would cut the gradient."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.register_buffer("table", torch.ones(3))

    def forward(self, x: torch.Tensor):
        y = self.table * 2
        c = self.fc(x).sin()
        c.data = y.cos()
        return c * 2


def example():
    torch.manual_seed(0)
    return Net(), (torch.tensor([0.5, 1.5, 2.5], requires_grad=True),)
