import torch
from torch import nn


class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        self.gen = nn.Linear(3, 4)
        self.dis = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.gen_opt = torch.optim.Adam(self.gen.parameters())
        self.dis_opt = torch.optim.Adam(self.dis.parameters())

    def process(self, z, real):
        fake = self.gen(z)
        dis_loss = self.dis(fake.detach()).mean() - self.dis(real).mean()
        return -self.dis(fake).mean(), dis_loss

    def backward(self, gen_loss, dis_loss):
        dis_loss.backward()
        self.dis_opt.step()
        gen_loss.backward()
        self.gen_opt.step()


gan = Gan()
gen_loss, dis_loss = gan.process(torch.randn(5, 3), torch.randn(5, 4))
gan.backward(gen_loss, dis_loss)
