"""A tensor is written while its rows are run over, and then gets new `.data`: all of it is rebound or nothing."""

import torch


def run(x: torch.Tensor, w: torch.Tensor):
    s = x.abs()
    for i in range(2):
        for g in s:
            s *= 2
        s.div_(w)
        s.data = s.sigmoid()
    return s


def example():
    return run, (torch.tensor([[1.457, -1.466], [1.258, 1.472]], requires_grad=True), torch.tensor([1.266, 1.746]))
