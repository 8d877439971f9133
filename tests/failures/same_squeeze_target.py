"""`squeeze` of predictions is a view that a loss shifts.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class HuberLoss(nn.Module):
    def forward(self, pred, target):
        diff = pred.squeeze(-1)
        diff -= target
        return torch.where(diff.abs() < 1, 0.5 * diff ** 2, diff.abs() - 0.5).mean()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 1)
        self.criterion = HuberLoss()

    def forward(self, x, y):
        pred = torch.sigmoid(self.body(x))
        return self.criterion(pred, y)


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(3, 2), torch.rand(3))
