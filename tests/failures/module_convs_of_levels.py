"""Features of several levels are added up after a branch each; the branches are filled by name.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, levels=2):
        super().__init__()
        self.convs = nn.ModuleList()
        for level in range(levels):
            branch = nn.Sequential()
            branch.add_module("conv" + str(level), nn.Sequential(nn.Linear(3, 3), nn.Sigmoid()))
            self.convs.append(branch)

    def forward(self, inputs):
        total = self.convs[0](inputs[0])
        for level in range(1, len(inputs)):
            total += self.convs[level](inputs[level])
        return total


def example():
    torch.manual_seed(0)
    return Head(), ([torch.randn(2, 3), torch.randn(2, 3)],)
