"""A factory gives a tensor that it captured, so a write to what the dictionary holds would hit the rebound tensor."""

from collections import defaultdict

import torch
import torch.nn.functional as F


def run(x: torch.Tensor):
    g = F.normalize(x, dim=1)
    g.data = torch.sigmoid(g)
    box = defaultdict(lambda: g)
    for k in (1,):
        box[k].mul_(2)
    return g


def example():
    return run, (torch.tensor([[1.322, -0.612], [0.161, 0.943]], requires_grad=True),)
