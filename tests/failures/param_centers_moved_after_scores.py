"""Class centers without a gradient are moved after the scores were computed with them.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Centers(nn.Module):
    def __init__(self, classes, size):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, size), requires_grad=False)
        self.rate = 0.5

    def forward(self, features, labels):
        batch = self.centers[labels]
        scores = features @ self.centers.t()
        with torch.no_grad():
            self.centers.index_add_(0, labels, self.rate * (features - batch))
        return ((features - batch) ** 2).sum() + scores.logsumexp(1).sum()


def example():
    torch.manual_seed(0)
    return Centers(5, 3), (torch.randn(4, 3, requires_grad=True), torch.tensor([0, 2, 3, 2]))
