"""A class method adds its class's constant to a sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Ops:
    eps = 1e-3

    @classmethod
    def shift(cls, x):
        y = x.sigmoid()
        y += cls.eps
        return y

    @classmethod
    def build(cls):
        return cls()


def run(x, w):
    ops = Ops.build()
    return ops.shift(x @ w).log()


def example():
    torch.manual_seed(0)
    return run, (torch.randn(2, 3), torch.randn(3, 3, requires_grad=True))
