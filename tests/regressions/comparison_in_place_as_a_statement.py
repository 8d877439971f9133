"""`probs.gt_(1)` leaves floats: `probs = probs.gt(1)` would be booleans."""

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        probs = torch.tanh(x)
        probs.gt_(1)
        return (probs, x)


def example():
    return Net(), (torch.tensor([[0.939, 1.536], [0.515, 0.439]], requires_grad=True),)
