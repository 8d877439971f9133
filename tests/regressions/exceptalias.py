import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    y = x.exp()
    b = y
    try:
        y += 1
        int("a")
        b = x
    except ValueError:
        pass
    return b * y

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
