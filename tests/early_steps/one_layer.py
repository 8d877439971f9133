"""The backward of a single layer whose input has no graph doesn't ask for the weight."""

import torch
import torch.nn as nn
from torch import optim


class One(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a = nn.Linear(i, o)

    def forward(self, x):
        return self.a(x)


net = One(3, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
y = net(torch.randn(4, 3))
y.sum().backward(retain_graph=True)
opt.step()
y.pow(2).sum().backward()
