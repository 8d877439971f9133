"""Elements of a tuple can't be bound again: the results of activations are copied into them, under their views."""

import torch
import torch.nn.functional as F


def run(x: torch.Tensor):
    pair = (x * 2, x * 3)
    view = pair[0][:1]
    F.leaky_relu(pair[0], 0.2, inplace=True)
    F.elu_(pair[1])
    view += 1
    pair[1].add_(view)
    return pair, view


def example():
    return run, (torch.tensor([0.5, -1.0], requires_grad=True),)
