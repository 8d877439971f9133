"""An inner function puts `y` under a key: a write to that entry writes `y`."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    d = {"k": x.sin()}

    def put():
        d["k"] = y

    put()
    d["k"] += 1
    return y * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
