"""Of the writes to the data of a list's elements, one stays; the others alone would give a part of the gradient."""

import torch


def adapted(weights, x, lr):
    fast = [w * 1.0 for w in weights]
    steps = [torch.sin(x * w) for w in fast]
    for w, g in zip(fast, steps):
        w.data -= lr * g
    for i, w in enumerate(fast):
        w.data += torch.cos(w) * i
    for w in fast:
        w.data = w.tanh()
    return fast


def example():
    a, b = torch.tensor([0.5, -1.0], requires_grad=True), torch.tensor([1.5, 0.25], requires_grad=True)
    return adapted, ([a, b], torch.tensor([2.0, -0.5], requires_grad=True), 0.1)
