import torch
from torch import nn


class Model:
    def __init__(self):
        self.enc = nn.Linear(3, 4)
        self.gen = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        self.gen_opt = torch.optim.Adam(self.gen.parameters())

    def forward(self, x):
        self.fake = self.gen(self.enc(x))

    def update(self):
        self.fake.abs().mean().backward(retain_graph=True)
        self.gen_opt.step()
        self.fake.pow(2).mean().backward()
        self.gen_opt.step()


model = Model()
model.forward(torch.randn(5, 3))
model.update()
