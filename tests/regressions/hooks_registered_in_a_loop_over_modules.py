"""A hook that a loop over all modules registers holds what a layer of a container returned, which the next overwrites."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
        self.seen = []
        for _, layer in self.named_modules():
            if isinstance(layer, nn.Linear):
                layer.register_forward_hook(lambda module, given, output: self.seen.append(output))

    def forward(self, x):
        return self.layers(x), self.seen[-1]


def run(x):
    torch.manual_seed(0)
    return Model()(x)


def example():
    return run, (torch.tensor([[0.5, -1.5]], requires_grad=True),)
