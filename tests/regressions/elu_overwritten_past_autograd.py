"""A write through `.data` changes what `elu` and its like save in place, and out of place don't: the gradient would change."""

import torch
import torch.nn.functional as F


def e1(x):
    v = x * 2
    F.elu_(v)
    v.data[0] = 1
    return v


def e2(x):
    v = x * 2
    v = F.selu(v, inplace=True)
    d = v.data
    d[0] = 1
    return v


def e3(x):
    v = x * 2
    F.leaky_relu_(v)
    d = v.data
    d *= 3
    return v


def e4(x):
    v = x * 2
    F.leaky_relu_(v)
    v.data *= 3
    return v


def run(x):
    return e1(x), e2(x), e3(x), e4(x)


def example():
    return run, (torch.tensor([-0.639, 1.275], requires_grad=True),)
