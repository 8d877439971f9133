# cause: out-of-place, fix: safe
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        gate = torch.sigmoid(self.linear(x))  # victim
        value = gate * x
        gate += 0.1  # culprit
        return value + gate


Gate()(torch.randn(2, 4)).sum().backward()
