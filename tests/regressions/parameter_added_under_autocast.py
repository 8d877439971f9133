"""A parameter added to the result of a linear layer: under autocast the sum stays in bfloat16."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(2, 6)
        self.bias = nn.Parameter(torch.linspace(0.1, 1, 6))
        self.register_buffer("table", torch.linspace(0.3, 0.7, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        qkv = self.qkv(x)
        qkv += self.bias
        q, k, v = qkv.split(2, dim=-1)
        scores = q @ k.transpose(-2, -1)
        scores += self.offsets()
        scores.mul_(0.5).add_(self.table)
        return scores @ v

    def offsets(self) -> torch.Tensor:
        return self.table.view(1, 2)


def mixed(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return model(x)


def example():
    torch.manual_seed(0)
    model = Attention()
    return mixed, (model, torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True))
