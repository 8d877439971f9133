"""A mask that is larger than the tensor it fills gives a tensor of the mask's shape, whose rows a mask then selects."""

import torch


def filled(x, mask):
    y = x.masked_fill(mask > 0, 0.5)
    y[x > 0] = 0.0
    return y.exp()


def example():
    return filled, (torch.tensor([1.0, -1.0, 2.0], requires_grad=True), torch.ones(3, 3).tril())
