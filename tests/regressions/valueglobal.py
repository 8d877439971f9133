import torch
import torch.nn as nn
import torch.nn.functional as F
value = 3
def f(x: torch.Tensor):
    y = x.exp()
    y[0] = y[1] * value
    return y * value

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
