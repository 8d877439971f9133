"""A dense block derived from ModuleDict adds its layers to itself and halves their results.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class DenseLayer(nn.Module):
    def __init__(self, cin, growth):
        super().__init__()
        self.add_module("norm", nn.LayerNorm(cin))
        self.add_module("relu", nn.ReLU(inplace=True))
        self.add_module("fc", nn.Linear(cin, growth))

    def forward(self, x):
        return self.fc(self.relu(self.norm(x))).sigmoid()


class DenseBlock(nn.ModuleDict):
    def __init__(self, n, cin, growth):
        super().__init__()
        for i in range(n):
            self.add_module("denselayer%d" % (i + 1), DenseLayer(cin + i * growth, growth))

    def forward(self, x):
        features = [x]
        for name, layer in self.items():
            new = layer(torch.cat(features, 1))
            new *= 0.5
            features.append(new)
        return torch.cat(features, 1)


def example():
    torch.manual_seed(0)
    return DenseBlock(2, 3, 2), (torch.randn(2, 3),)
