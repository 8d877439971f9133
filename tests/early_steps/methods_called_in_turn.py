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

    def judge(self, z, real):
        return self.dis(self.gen(z).detach()).mean() - self.dis(real).mean()

    def fool(self, z):
        return -self.dis(self.gen(z)).mean()

    def improve(self, loss, opt):
        opt.zero_grad()
        loss.backward()
        opt.step()


gan = Gan().to("cpu")
for _ in range(2):
    gan.improve(gan.judge(torch.randn(5, 3), torch.randn(5, 4)), gan.dis_opt)
    gan.improve(gan.fool(torch.randn(5, 3)), gan.gen_opt)
