"""`p.data = value` isn't made `p = value` where a later write would hit the graph of the value."""

import torch


def run(x: torch.Tensor):
    xs = []
    xs.append(x.mul(2))
    xs[0].tanh_()
    store = {"c": xs[0]}
    p = x.mean(dim=0)
    p.data = store["c"].sum(dim=1)
    c = next(iter(xs))
    c.relu_()
    return p


def example():
    return run, (torch.tensor([[0.728, 0.172], [-1.141, 1.535]], requires_grad=True),)
