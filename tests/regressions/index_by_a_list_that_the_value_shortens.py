"""The value of `q[len(l) - 2] += l.pop()` changes the list that the index reads."""

import torch


def f(a):
    l = [1, 0, 1]
    q = a[0].exp()
    s = q.pow(2).sum()
    q[len(l) - 2] += l.pop()
    return s + q.sum(), q * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
