"""A method that raises half-way leaves what it stored on its way, and `with` runs methods that nothing names."""

import torch


class Pair:
    def __init__(self, a):
        self.a = a

    def set(self, v):
        self.a = v
        if v.sum() > 0:
            raise ValueError
        self.a = v.exp()


class Entered:
    def __init__(self, a):
        self.a = a
        self.old = None

    def __enter__(self):
        self.old = self.a
        self.a = self.a.exp()
        return self

    def __exit__(self, *error):
        self.a = self.old


def run(x):
    p = Pair(x.exp())
    v = torch.sigmoid(x)
    try:
        p.set(v)
    except ValueError:
        pass
    p.a += 1
    e = Entered(x * 2)
    first = e.a
    with e as q:
        y = q.a
        y += 1
    e.a *= 2
    return v, p.a, e.a, y, first


def example():
    torch.manual_seed(0)
    return run, (torch.rand(2, 2, requires_grad=True),)
