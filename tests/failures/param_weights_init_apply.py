"""A function for model.apply that sets the weights of linear layers and norms.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Linear") != -1:
        m.weight.normal_(0.0, 0.02)
        m.bias.fill_(0.1)
    elif classname.find("LayerNorm") != -1:
        m.weight.fill_(1.5)
        m.bias.zero_()


def build_and_run(net, x):
    net.apply(weights_init)
    return net(x)


def example():
    torch.manual_seed(0)
    return build_and_run, (nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3)), torch.randn(2, 2))
