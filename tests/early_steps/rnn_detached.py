"""The parts of the state are detached where it isn't None."""

import torch
import torch.nn as nn
from torch import optim


class Rnn(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.cell = nn.LSTM(i, 8)
        self.head = nn.Linear(8, o)

    def forward(self, x, s=None):
        out, s = self.cell(x, s)
        return self.head(out), s


net = Rnn(3, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
state = None
for _ in range(3):
    if state is not None:
        state = tuple(s.detach() for s in state)
    out, state = net(torch.randn(5, 2, 3), state)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
