import torch
from torch import nn
from torch.nn import functional as F


class RESA(nn.Module):
    def __init__(self, num_channels=8, iteration=3, alpha=2.0):
        super().__init__()
        self.iteration = iteration
        self.alpha = alpha
        self.conv_d = nn.ModuleList(nn.Conv2d(num_channels, num_channels, (1, 9), padding=(0, 4), bias=False)
                                    for _ in range(iteration))
        self.conv_u = nn.ModuleList(nn.Conv2d(num_channels, num_channels, (1, 9), padding=(0, 4), bias=False)
                                    for _ in range(iteration))
        self.conv_r = nn.ModuleList(nn.Conv2d(num_channels, num_channels, (9, 1), padding=(4, 0), bias=False)
                                    for _ in range(iteration))
        self.conv_l = nn.ModuleList(nn.Conv2d(num_channels, num_channels, (9, 1), padding=(4, 0), bias=False)
                                    for _ in range(iteration))

    def forward(self, x):
        y = x
        h, w = y.shape[-2:]
        if 2 ** self.iteration > max(h, w):
            print('Too many iterations for RESA, your image size may be too small.')

        # We do indexing here to avoid extra input parameters at __init__(), with almost none computation overhead.
        # Down
        for i in range(self.iteration):
            idx = (torch.arange(h) + h // 2 ** (self.iteration - i)) % h
            y.add_(self.alpha * F.relu(self.conv_d[i](y[:, :, idx, :])))
        # Up
        for i in range(self.iteration):
            idx = (torch.arange(h) - h // 2 ** (self.iteration - i)) % h
            y.add_(self.alpha * F.relu(self.conv_u[i](y[:, :, idx, :])))
        # Right
        for i in range(self.iteration):
            idx = (torch.arange(w) + w // 2 ** (self.iteration - i)) % w
            y.add_(self.alpha * F.relu(self.conv_r[i](y[:, :, :, idx])))
        # Left
        for i in range(self.iteration):
            idx = (torch.arange(w) - w // 2 ** (self.iteration - i)) % w
            y.add_(self.alpha * F.relu(self.conv_l[i](y[:, :, :, idx])))

        return y


class RESAReducer(nn.Module):
    def __init__(self, in_channels=3, reduce=8):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, reduce, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(reduce)

    def forward(self, x):
        return F.relu(self.bn1(self.conv1(x)))


reducer, spatial_conv, aux = RESAReducer(), RESA(), nn.Conv2d(8, 5, 1)
out = aux(spatial_conv(reducer(torch.randn(2, 3, 8, 12))))
F.cross_entropy(out, torch.randint(0, 5, (2, 8, 12))).backward()
print(reducer.conv1.weight.grad.norm())
