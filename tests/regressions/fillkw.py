import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    y = torch.zeros(2)
    y.fill_(value=3)
    return y * x

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
