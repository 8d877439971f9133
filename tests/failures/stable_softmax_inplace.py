"""A numerically stable softmax, memory-saving style.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def softmax_(x, dim=-1):
    x -= x.max(dim=dim, keepdim=True)[0]
    x.exp_()
    x /= x.sum(dim=dim, keepdim=True)
    return x


class Classifier(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.fc = nn.Linear(d, k)

    def forward(self, x):
        return softmax_(self.fc(x))


def example():
    torch.manual_seed(0)
    return Classifier(2, 3), (torch.randn(2, 2),)
