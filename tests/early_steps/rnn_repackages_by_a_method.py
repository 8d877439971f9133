"""A method of the network repackages the state before each use."""

import torch
import torch.nn as nn
from torch import optim


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 8)
        self.head = nn.Linear(8, 1)
        self.hidden = torch.zeros(1, 2, 8), torch.zeros(1, 2, 8)

    def repackage(self, parts):
        return tuple(part.detach() for part in parts)

    def forward(self, x):
        out, self.hidden = self.cell(x, self.repackage(self.hidden))
        return self.head(out)


net = Rnn()
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(5, 2, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
