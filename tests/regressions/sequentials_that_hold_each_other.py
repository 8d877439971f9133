"""Each branch puts the same network into another Sequential: read without order, the name holds ever larger ones."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, features, actions):
        super().__init__()
        net = nn.Sequential(nn.Linear(features, 4), nn.ReLU(inplace=True), nn.Linear(4, 4), nn.ReLU(inplace=True))
        if actions:
            net = nn.Sequential(net, nn.Linear(4, 5), nn.ReLU(inplace=True), nn.Linear(5, actions))
        else:
            net = nn.Sequential(net, nn.Linear(4, 3), nn.ReLU(inplace=True))
        self.net = net

    def forward(self, observed):
        return self.net(observed)


def example():
    torch.manual_seed(0)
    return Net(3, 2), (torch.randn(2, 3),)
