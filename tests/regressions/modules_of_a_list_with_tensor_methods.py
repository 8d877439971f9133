"""What unseen code made and a `ModuleList` holds is a module, even where it has the methods of tensors."""

import torch
from torch import nn


def begin(self):
    nn.Module.__init__(self)
    self.values = nn.Parameter(torch.zeros(3))


def fill(self, mean, std):
    self.values.data = torch.full((3,), mean + std)


makers = {"table": type("Table", (nn.Module,), {"__init__": begin, "normal_": fill})}


class Model(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.tables = nn.ModuleList([makers[kind]() for _ in range(2)])
        for table in self.tables:
            table.normal_(1.0, 2.0)

    def forward(self, x):
        return x * self.tables[0].values


def example():
    return Model("table"), (torch.tensor([0.5, 1.5, -0.5], requires_grad=True),)
