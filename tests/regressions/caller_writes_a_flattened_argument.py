"""A method returns a tensor with the strides of its argument, which may be transposed; flattened, it is written."""

import torch


class Source:
    def __init__(self, m):
        self.m = m

    def make(self):
        m = self.m
        y = m.mul(2)
        y.index_copy_(0, torch.tensor(0), y[-1:] * 2)
        return y


def run(x):
    hidden = Source(x.tanh()).make()
    top = hidden.flatten()
    top[0] = 9
    return hidden


def example():
    return run, (torch.tensor([[1.7, 1.6, 1.1], [1.2, -0.4, 0.5]]).t(),)
