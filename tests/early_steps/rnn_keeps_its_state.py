"""A recurrent network keeps its state in an attribute, which nobody detaches."""

import torch
import torch.nn as nn
from torch import optim


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 8)
        self.head = nn.Linear(8, 1)
        self.hidden = self.init_hidden()

    def init_hidden(self):
        return torch.zeros(1, 2, 8), torch.zeros(1, 2, 8)

    def forward(self, x):
        out, self.hidden = self.cell(x, self.hidden)
        return self.head(out)


net = Rnn()
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(5, 2, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
