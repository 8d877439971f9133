"""A dropout whose flag is its second argument returns its input; without it, in evaluation, it still does."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Dropout(0.5, True)
        self.eval()

    def forward(self, x: torch.Tensor):
        z = x.exp()
        h = self.d(z)
        h += 1
        return h * z


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
