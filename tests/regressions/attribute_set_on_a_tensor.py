"""What is bound anew hasn't got the attributes that were set on the old tensor."""

import torch


def tagged(t, scale):
    t._scale = scale
    return t


def f(x):
    h = x.sigmoid()
    h.scale = 3.0
    h -= x
    g = tagged(x.sigmoid(), 2.0)
    g -= x
    k = x.sigmoid()
    k.parts = [k * 2]
    k[0] = 1.0
    return h * h.scale, g * getattr(g, "_scale", 1.0), k, k.parts


def example():
    return f, (torch.tensor([0.5, -1.0], requires_grad=True),)
