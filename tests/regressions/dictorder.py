import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    y = x.exp()
    d = {1: y.add_(1), y.sum().item(): 2}
    return list(d)

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
