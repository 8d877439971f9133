"""A helper writes its argument, which nothing reads under the name that was passed: nothing takes the new tensor there."""

import torch
from torch import nn


def _shift(t, k):
    t /= k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 3

    def forward(self, x: torch.Tensor):
        logits = x * self.scale
        u = logits ** 2
        s = logits.to()
        _shift(s, 3)
        logits *= u
        return logits


def example():
    return Net(), (torch.tensor([[0.897, -0.287, -0.194], [0.163, -1.421, 0.706]], requires_grad=True),)
