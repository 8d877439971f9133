"""A method takes the step of the optimizer of a name: the second loss needs the old weights of the first one's."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def make(i, o):
    return nn.Sequential(nn.Linear(i, 8), nn.LeakyReLU(0.2), nn.Linear(8, o))


class Trainer:
    def __init__(self):
        self.nets = {"gen": make(3, 5), "critic": make(5, 1)}
        self.opts = {k: torch.optim.Adam(n.parameters(), 1e-3) for k, n in self.nets.items()}

    def train(self, real):
        score = self.nets["critic"](self.nets["gen"](torch.randn(len(real), 3)))
        loss = F.softplus(score).mean() + F.softplus(-self.nets["critic"](real)).mean()
        self.update("critic", loss, retain=True)
        self.update("gen", F.softplus(-score).mean())

    def update(self, name, loss, retain=False):
        opt = self.opts[name]
        opt.zero_grad()
        loss.backward(retain_graph=retain)
        opt.step()


trainer = Trainer()
for _ in range(2):
    trainer.train(torch.randn(4, 5))
