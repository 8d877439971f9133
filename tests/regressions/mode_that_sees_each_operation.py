"""A mode notes the names of the operations."""

import torch
from torch.overrides import TorchFunctionMode


class Log(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


def f(x):
    log = Log()
    with log:
        y = x.exp()
        y.add_(1)
        y.mul_(2)
    return y, log.names


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
