"""`reversed(list(state))` holds views of all rows, which see each round's store."""

import torch


def run(x: torch.Tensor, w: torch.Tensor):
    delta = x + 1
    c = delta
    state = c
    for q in reversed(list(state)):
        c[:1] = q.clamp(1)
    return c


def example():

    def drive(x, w):
        return (run(x, w), run(x.clone(), w.clone()))

    return drive, (
        torch.tensor([[1.66, -1.761], [0.928, -0.39], [0.843, 0.651]], requires_grad=True),
        torch.tensor([1.139, 0.671], requires_grad=True),
    )
