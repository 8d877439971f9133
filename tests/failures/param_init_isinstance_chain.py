"""Initialisation by the type of the layer, without nn.init.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class DCGAN(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.Conv2d(c, 1, 1))

    def init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                n = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                m.weight.normal_(0, math.sqrt(2. / n))
                if m.bias is not None:
                    m.bias.zero_()
            elif isinstance(m, nn.BatchNorm2d):
                m.weight.fill_(1.5)
                m.bias.zero_()

    def forward(self, x):
        return self.body(x)


def generate(x, net):
    net.init_weights()
    return net(x)


def example():
    torch.manual_seed(0)
    return generate, (torch.randn(2, 1, 3, 3, requires_grad=True), DCGAN(2))
