"""The keys `1` and `"1"` are two entries: behind a branch that replaced both they don't hold one tensor."""

import torch


def run(x: torch.Tensor, flag: bool):
    y, z = x.exp(), x.sin()
    d = {1: y, "1": z}
    if flag:
        d[1], d["1"] = z, y
    d[1] += 1
    return d


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True), False)
