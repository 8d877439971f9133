"""A tensor on the memory that another one gave away shares it; a view isn't made again from a list that has changed."""

import torch


def shared(x):
    h = x.detach().exp()
    k = torch.empty(0).set_(h.untyped_storage(), 0, (4,))
    k += 1
    return h * x


def turned(x):
    h = x.exp()
    sizes = [4, 1]
    v = h.view(sizes)
    sizes.reverse()
    h *= 2
    w = h.expand(sizes)
    sizes += [1]
    h += 1
    return v, w.sum()


def run(x):
    return shared(x), turned(x)


def example():
    torch.manual_seed(0)
    return run, (torch.randn(4, requires_grad=True),)
