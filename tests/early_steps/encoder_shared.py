"""Two heads share an encoder, which steps after the loss of the first."""

import torch
import torch.nn as nn
from torch import optim


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 8), nn.Tanh(), nn.Linear(8, o))


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = mlp(3, 3)
        self.h1 = mlp(3, 1)
        self.h2 = mlp(3, 1)


model = M()
o1 = optim.Adam(list(model.enc.parameters()) + list(model.h1.parameters()))
o2 = optim.Adam(model.h2.parameters())
for _ in range(2):
    z = model.enc(torch.randn(4, 3))
    l1 = model.h1(z).mean()
    o1.zero_grad()
    l1.backward(retain_graph=True)
    o1.step()
    l2 = model.h2(z).mean()
    o2.zero_grad()
    l2.backward()
    o2.step()
