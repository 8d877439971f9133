"""`d.pop("k")` takes the key out: it isn't bound again together with the name."""

import torch


def f(x: torch.Tensor):
    d = {"k": x.exp(), "j": x.sin()}
    h = d.pop("k")
    h += 1
    d["h"] = h * 2
    return d, sorted(d)


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
