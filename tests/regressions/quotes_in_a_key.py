"""A key with apostrophes is written as it is where its place is bound, whatever quotes the file prefers."""

import torch


def run(x: torch.Tensor):
    held = {"it's it's": x * 3}
    b = held["it's it's"]
    e = b.exp()
    b += 1
    return held["it's it's"] * e * b


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
