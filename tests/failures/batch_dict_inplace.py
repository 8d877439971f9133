"""A collate-style dict goes through a preprocessing module that rescales one entry in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Embed(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, batch):
        batch["feat"] = torch.tanh(self.fc(batch["feat"]))
        return batch


class Pipeline(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.embed = Embed(d)
        self.head = nn.Linear(d, 1)

    def forward(self, feat, weight):
        batch = self.embed({"feat": feat, "weight": weight})
        batch["feat"] *= batch["weight"]
        return self.head(batch["feat"])


def example():
    torch.manual_seed(0)
    return Pipeline(2), (torch.randn(2, 2), torch.rand(2, 1))
