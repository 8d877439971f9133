import torch
import torch.nn as nn
import torch.nn.functional as F
def fill(z, t):
    z.add_(t)
def f(x: torch.Tensor):
    z = torch.zeros(2, 2)
    fill(z, x)
    w = z * z
    z[0] = 0.0
    return w + z

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
