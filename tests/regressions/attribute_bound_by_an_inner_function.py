"""An inner function puts another tensor into `b.h`: the rewrite of the old one must not bind the attribute again."""

import torch


class Box:
    pass


def f(x: torch.Tensor):
    y, w = x.exp(), x.sin()
    b = Box()
    b.h = w

    def put():
        b.h = y

    put()
    w += 1
    return b.h, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
