import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    n = (x > 1).sum(1)
    n[n == 0] = 0.5
    return n

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
