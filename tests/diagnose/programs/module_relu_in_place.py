# cause: inplace-module, fix: safe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = torch.sigmoid(self.linear(x))  # victim
        return self.relu(y)  # culprit


Net()(torch.randn(2, 4)).sum().backward()
