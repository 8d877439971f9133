"""The logger takes the square root of the squared norms that the penalty was made of.

Torch: modified by an inplace operation
"""
import torch


class Logger:
    def __init__(self):
        self.data = {}

    def scalar(self, name, value):
        self.data.setdefault(name, []).append(value)

    def norms(self, name, squared):
        squared.sqrt_()
        self.scalar(name, squared.mean().item())


def penalty(w, x, logger):
    sq = torch.exp((w * x).pow(2).sum(1))
    total = (sq * sq).mean()
    logger.norms("grad", sq)
    return total


def example():
    torch.manual_seed(0)
    return penalty, (torch.randn(2, requires_grad=True), torch.randn(3, 2), Logger())
