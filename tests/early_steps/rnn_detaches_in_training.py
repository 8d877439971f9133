"""A recurrent network detaches the state that it keeps, but only in training."""

import torch
import torch.nn as nn
from torch import optim


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(3, 8)
        self.head = nn.Linear(8, 1)
        self.hidden = torch.zeros(1, 2, 8)

    def forward(self, x):
        if self.training:
            self.hidden = self.hidden.detach()
        out, self.hidden = self.cell(x, self.hidden)
        return self.head(out)


net = Rnn()
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(5, 2, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
