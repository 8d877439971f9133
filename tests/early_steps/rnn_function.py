"""The model and its optimizer are arguments of the function that trains."""

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


def train(model, optimizer, data):
    hidden = None
    for x in data:
        optimizer.zero_grad()
        y, hidden = model(x, hidden)
        loss = y.sum()
        loss.backward(retain_graph=True)
        optimizer.step()


net = Rnn(3, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
train(net, opt, [torch.randn(5, 2, 3) for _ in range(3)])
