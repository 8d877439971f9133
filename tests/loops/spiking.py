"""A spiking network: the membrane's potential stays in the module."""
import torch
from torch import nn


class LIF(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.mem = None

    def forward(self, x):
        if self.mem is None:
            self.mem = torch.zeros(x.size(0), self.size)
        self.mem = 0.9 * self.mem + x
        return torch.sigmoid(4 * (self.mem - 1))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.lif1 = nn.Linear(4, 8), LIF(8)
        self.fc2, self.lif2 = nn.Linear(8, 2), LIF(2)

    def forward(self, x):
        return self.lif2(self.fc2(self.lif1(self.fc1(x))))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for data in torch.randn(4, 5, 4):
    #+ net.lif1.mem = net.lif2.mem = None
    out = net(data)
    loss = (out - 0.5).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
