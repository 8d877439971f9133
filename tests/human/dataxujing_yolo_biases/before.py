import math

import torch
import torch.nn as nn


class Detect(nn.Module):
    def __init__(self, nc=80, anchors=(), ch=()):
        super(Detect, self).__init__()
        self.stride = None
        self.nc = nc
        self.no = nc + 5
        self.nl = len(anchors)
        self.na = len(anchors[0]) // 2
        self.m = nn.ModuleList(nn.Conv2d(x, self.no * self.na, 1) for x in ch)

    def forward(self, x):
        for i in range(self.nl):
            x[i] = self.m[i](x[i])
            bs, _, ny, nx = x[i].shape
            x[i] = x[i].view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        return x


class Model(nn.Module):
    def __init__(self, nc=2, anchors=((10, 13, 16, 30), (30, 61, 62, 45))):
        super(Model, self).__init__()
        self.backbone = nn.ModuleList([nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 8, 3, 2, 1)])
        self.model = nn.ModuleList([Detect(nc, anchors, (4, 8))])

        m = self.model[-1]  # Detect()
        m.stride = torch.tensor([64 / x.shape[-2] for x in self.forward(torch.zeros(1, 3, 64, 64))])
        self._initialize_biases()  # only run once

    def forward(self, x):
        feats = []
        for conv in self.backbone:
            x = torch.relu(conv(x))
            feats.append(x)
        return self.model[-1](feats)

    def _initialize_biases(self, cf=None):
        # cf is class frequency
        m = self.model[-1]  # Detect() module
        for mi, s in zip(m.m, m.stride):
            b = mi.bias.view(m.na, -1)
            b[:, 4] += math.log(8 / (640 / s) ** 2)  # obj (8 objects per 640 image)
            b[:, 5:] += math.log(0.6 / (m.nc - 0.99)) if cf is None else torch.log(cf / cf.sum())  # cls
            mi.bias = torch.nn.Parameter(b.view(-1), requires_grad=True)


model = Model()
pred = model(torch.randn(2, 3, 64, 64))
loss = sum(torch.sigmoid(p[..., 4]).mean() + p[..., :4].pow(2).mean() for p in pred)
loss.backward()
print(loss.item(), model.model[-1].m[0].bias.grad.norm())
