"""A closure's state is at first the argument itself, which the caller has, too: a clone would part the two."""

import torch


def keep(a):
    state = None

    def update(t):
        nonlocal state
        if state is None:
            state = a
        else:
            state[0].mul_(2)
        return state

    return update(a) + update(a * 2)


def run(x):
    k = torch.tanh(x)
    y = k + 1
    return keep(y) * y


def example():
    return run, (torch.tensor([[1.892, 1.059], [-1.294, 0.176]], requires_grad=True),)
