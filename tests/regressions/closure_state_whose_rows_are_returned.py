"""A function returns a row of the state that it writes at the next call: its callers see the write."""

import torch


def keep(a):
    state = None

    def update(t):
        nonlocal state
        if state is None:
            state = t * 1
        else:
            state.mul_(0.5)
        return state[0]

    return [update(a), update(a)]


def example():
    return keep, (torch.tensor([[1.048, 1.522], [-1.385, 1.439]], requires_grad=True),)
