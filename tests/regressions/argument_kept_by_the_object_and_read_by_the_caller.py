"""A method keeps its argument in an attribute and writes it: that nobody reads the object doesn't say it of the argument."""

import torch


class Reads:
    def update(self, k, t):
        self.h = t
        t.mul_(2)
        return t


def run(x: torch.Tensor):
    feat = torch.sigmoid(x)
    box = Reads()
    box.update(feat, feat)
    return feat


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
