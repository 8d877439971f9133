"""What exp or sqrt gave is rounded through `.data`: the straight-through gradient isn't that of the rounded values."""

import torch


def f(x, t):
    scale = torch.exp2(t)
    scale.data.ceil_()
    level = torch.sqrt(t)
    level.data.round_()
    bits = torch.sigmoid(t)
    bits.data[bits > 0.5] = 1.0
    steps = torch.tanh(t)
    steps.data //= 1
    codes = torch.exp(t)
    codes.data[:] = torch.ones(3)
    return x * scale * level * bits, x * steps * codes


def example():
    x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    return f, (x, torch.tensor([0.4, 2.5, 6.0], requires_grad=True))
