"""A clamped tensor stays float32 under all its names when float64 is added."""

import torch


def run(x, w, buffer):
    acc = x
    c = r = acc.clamp(1)
    scores = r
    scores += torch.ones(2, dtype=torch.float64)
    return c


def example():

    def drive(x, w, buffer):
        return (run(x, w, buffer), run(x, w - 0.31, buffer * 1))

    return drive, (
        torch.tensor([[1.705, 0.884], [-1.26, 1.682]], requires_grad=True),
        torch.tensor([1.775, 0.947], requires_grad=True),
        torch.tensor([[0.649, -1.274], [-1.088, -1.577]]),
    )
