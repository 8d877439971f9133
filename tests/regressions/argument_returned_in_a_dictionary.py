"""A helper returns its argument under a key and in a list under another one: both places get the new tensor."""

import torch


def mk(a):
    return {"a": a, "n": [a]}


def f(x: torch.Tensor):
    y = x.exp()
    d = mk(y)
    y += 1
    return d["a"] * d["n"][0]


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
