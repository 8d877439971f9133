import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(3, 4)
        self.dec = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        self.opt = torch.optim.Adam(self.parameters())

    def forward(self, x):
        self.x = x
        self.fake = self.dec(self.enc(x))

    def update(self, x):
        self.forward(x)
        self.backward_first()
        self.opt.step()
        self.backward_second()
        self.opt.step()

    def backward_first(self):
        (self.fake - self.x).abs().mean().backward(retain_graph=True)

    def backward_second(self):
        self.fake.pow(2).mean().backward()


Model().update(torch.randn(5, 3))
