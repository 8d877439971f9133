"""An attention sink: mass is moved to the first key after the softmax.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.sink = nn.Parameter(torch.tensor(0.2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights: torch.Tensor = torch.softmax(self.proj(x) @ x.mT, dim=-1)
        weights *= 1 - self.sink
        weights[..., 0] += self.sink
        return weights @ x


def example():
    torch.manual_seed(0)
    return SinkAttention(2), (torch.randn(1, 3, 2),)
