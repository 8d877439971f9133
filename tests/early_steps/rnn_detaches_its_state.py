"""A method of the network detaches the state that it keeps, before each round."""

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

    def detach(self):
        self.hidden = tuple(part.detach() for part in self.hidden)

    def forward(self, x):
        out, self.hidden = self.cell(x, self.hidden)
        return self.head(out)


def train(net, opt):
    for _ in range(3):
        net.detach()
        loss = net(torch.randn(5, 2, 3)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


rnn = Rnn()
train(rnn, optim.SGD(rnn.parameters(), lr=0.1))
