"""A meter's `__call__` converts to percent in place and returns nothing.

Torch: modified by an inplace operation
"""
import torch


class PercentMeter:
    def __init__(self):
        self.history = []

    def __call__(self, scores):
        scores *= 100
        self.history.append(float(scores.mean()))


def train_loss(x, w, meter):
    scores = torch.softmax(x @ w, -1)
    loss = (scores * scores).sum()
    meter(scores)
    return loss


def example():
    torch.manual_seed(0)
    return train_loss, (torch.randn(3, 2), torch.randn(2, 2, requires_grad=True), PercentMeter())
