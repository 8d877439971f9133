import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    y = x.exp()
    t = 0
    for row in y.add_(1):
        t = t + row * y[0]
    return t

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
