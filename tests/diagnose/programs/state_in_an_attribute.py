# kind: freed, cause: hidden-state, fix: none
import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.state = torch.zeros(2, 4)

    def forward(self, x):
        self.state = torch.sigmoid(self.linear(x) + self.state)  # victim
        return self.state


net = Memory()
for step in range(2):
    net(torch.rand(2, 4)).sum().backward()
