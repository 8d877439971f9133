import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(3, 4)
        self.dec = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        self.opt = torch.optim.Adam(self.parameters())

    def update(self, batches):
        for x in batches:
            self.opt.zero_grad()
            fake = self.dec(self.enc(x))
            (fake - x).abs().mean().backward()
            self.opt.step()
            fake = self.dec(self.enc(x))
            fake.pow(2).mean().backward()
            self.opt.step()


Model().update([torch.randn(5, 3), torch.randn(5, 3)])
