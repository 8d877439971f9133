import torch
import torch.nn as nn
import torch.nn.functional as F
import contextlib
def f(x: torch.Tensor):
    y = x.exp()
    b = y
    with contextlib.suppress(ValueError):
        y += 1
        int("a")
        b = y * 2
    return b

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
