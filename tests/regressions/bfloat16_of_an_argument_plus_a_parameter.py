"""`x.bfloat16()` keeps its dtype when a float32 parameter is added, and may be `x` itself."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor):
        h = x.bfloat16()
        h += self.bias
        return h


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
