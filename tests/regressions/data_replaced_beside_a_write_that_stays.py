"""A write that has to stay in its loop would hit the graph that a rebound `.data` brings in the next round."""

import torch


def run(x: torch.Tensor, w: torch.Tensor):
    s = x.abs()
    for i, _ in enumerate([0] * 2):
        for g in s:
            s *= 2
        s.data = s.sigmoid()
    return s


def example():
    return run, (
        torch.tensor([[1.457, -1.466, -0.675, -0.153], [1.258, 1.472, 1.428, -0.24]], requires_grad=True),
        torch.tensor([1.266, 1.746, -0.835, 1.542], requires_grad=True),
    )
