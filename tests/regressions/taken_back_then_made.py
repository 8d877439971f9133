"""An edit that is taken back, and succeeds when its neighbours are made, is made by the first run already."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Cell:
    h: torch.Tensor
    c: torch.Tensor

    @property
    def flat(self):
        return self.h.reshape(-1)

    def shift(self, k):
        self.h += k
        return self.c


class Track:
    def __init__(self, v):
        self.h = v * 1
        self.seen = self.h.view(-1)

    def push(self, v):
        self.h.add_(v)
        return self

    def read(self):
        return self.seen.sigmoid()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4); self.act = nn.Softmax(-1)
        self.drop = nn.Dropout(0.0)

    def forward(self, t):
        t = t * 1; return self.act(t)


def update(v, u):
    v.masked_fill_(v > 0.3019, 0).add_(v)
    track1 = Track(torch.sin(v.transpose(0, 1))); v[-1] = v[0].cos(); return v


class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.linear = nn.Linear(4, 4); self.act = nn.ELU(inplace=True); self.block = Block(); self.blocks = nn.ModuleList([Block(), Block()]); self.norm = nn.BatchNorm1d(4)
        self.seq = nn.Sequential(nn.Sigmoid(), Block())
        self.scale = nn.Parameter(torch.full((4,), 0.5)); self.register_buffer("running", torch.full((4,), 0.5)); self.register_buffer("seen", torch.tensor(0.0))

    def forward(self, x, batch):
        base = self.act(x * 1)
        for log in ("a", "b"):
            batch[log] *= 2
        delta = batch["a"].sum()
        with torch.no_grad(): self.scale.clamp_(0, 1)
        base.clamp_(-1, 1); delta.masked_fill_(delta >= 0.6171, 0).add_((delta * delta)); steps = []; part, head = base.tensor_split([1]); part.mul_(0.5).add_(1); base /= 2; part.exp_(); p = part.sum() + head.sum() * 2 + sum(t.sum() for t in steps)
        r = torch.exp(x) + 1
        probs = r
        for layer in self.blocks: probs = layer(probs); probs += r
        parts = r.split([1, 2]); parts[0][0] = 0.5; s = parts[0].sum()
        return self.running, self.scale, x, probs.norm() - s, delta, p, r


class Outer(nn.Module):
    def __init__(self):
        super().__init__(); self.net = Net()

    def forward(self, x):
        return self.net(x, {"a": torch.relu(x), "b": x + 1})


def example():
    torch.manual_seed(3)
    return Outer(), (torch.tensor([[-1.300, -1.760, 1.313, -0.793], [1.159, 0.578, -0.424, 0.103], [-1.515, -0.710, 1.431, 0.234]], requires_grad=True),)
