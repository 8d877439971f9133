"""Each channel of each image of a batch is denormalised in two loops.

Torch: is a view and is being modified inplace
"""
import torch

MEAN = (0.1, 0.2, 0.3)
STD = (0.5, 0.6, 0.7)


def to_rgb(batch):
    batch = torch.tanh(batch)
    for img in batch:
        for c, m, s in zip(img, MEAN, STD):
            c.mul_(s).add_(m)
    return batch.clamp(0, 1)


def example():
    torch.manual_seed(0)
    return to_rgb, (torch.randn(2, 3, 2, requires_grad=True),)
