"""The code handles the error of a write whose operand has more dimensions: out of place there would be none."""

import contextlib

import torch


def of_several(x, w, factors):
    out = []
    for k in factors:
        h = (x * w).sigmoid()
        y = h.exp()
        try:
            h *= k
        except RuntimeError:
            out.append(h.detach())
            continue
        out.append(h * y)
    return out


def by_method(x, k):
    h = x.sigmoid()
    y = h.exp()
    with contextlib.suppress(RuntimeError):
        h.mul_(k)
        h = h + 1
    return [h, y]


def run(x, w):
    return [*of_several(x, w, (torch.ones(1), torch.ones(2, 3), torch.ones(5))), *by_method(x, torch.ones(2, 3))]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0], requires_grad=True))
