"""`finally` runs after `continue`, too, and writes the tensor that `z` names."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    for i in range(2):
        try:
            z = y
            continue
        finally:
            y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
