import torch
from torch import nn


class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        gen = nn.Linear(3, 4)
        dis = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.add_module("gen", gen)
        self.add_module("dis", dis)
        self.gen_opt = torch.optim.Adam(gen.parameters())
        self.dis_opt = torch.optim.Adam(dis.parameters())

    def process(self, z, real):
        fake = self.gen(z)
        dis_loss = self.dis(fake.detach()).mean() - self.dis(real).mean()
        return -self.dis(fake).mean(), dis_loss

    def improve(self, gen_loss=None, dis_loss=None):
        if dis_loss is not None:
            dis_loss.backward()
        self.dis_opt.step()
        if gen_loss is not None:
            gen_loss.backward()
        self.gen_opt.step()


class Trainer:
    def __init__(self):
        self.model = Gan().to("cpu")

    def train(self):
        for _ in range(2):
            gen_loss, dis_loss = self.model.process(torch.randn(5, 3), torch.randn(5, 4))
            self.model.improve(gen_loss, dis_loss)


Trainer().train()
