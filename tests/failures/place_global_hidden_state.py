"""A notebook keeps the hidden state in a module-level name that a function declares global.

Torch: modified by an inplace operation
"""
import torch

hidden = torch.zeros(2)


def step(x, w):
    global hidden
    hidden += torch.tanh(x * w)
    return torch.exp(hidden * w).sum()


def run(xs, w):
    global hidden
    hidden = torch.zeros(2)
    loss = 0
    for x in xs:
        loss = loss + step(x, w)
    return loss


def example():
    torch.manual_seed(0)
    return run, (torch.randn(3, 2), torch.tensor(0.5, requires_grad=True))
