"""A bfloat16 accumulator keeps its dtype when a layer's float32 result is added."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor):
        c = torch.zeros(2, 2, dtype=torch.bfloat16)
        c += self.l(x)
        return c


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
