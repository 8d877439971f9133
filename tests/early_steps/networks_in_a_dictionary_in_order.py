"""The networks are in dictionaries, and the generator, whose weights no other loss needs, steps first."""

import torch
import torch.nn as nn
from torch import optim


class Net(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a = nn.Linear(i, 8)
        self.b = nn.Linear(8, o)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


nets = {"G": Net(2, 2), "D": Net(2, 1)}
opts = {key: optim.Adam(net.parameters()) for key, net in nets.items()}
for _ in range(2):
    fake = nets["G"](torch.randn(4, 2))
    opts["G"].zero_grad()
    (-nets["D"](fake)).mean().backward()
    opts["G"].step()
    opts["D"].zero_grad()
    nets["D"](fake.detach()).mean().backward()
    opts["D"].step()
