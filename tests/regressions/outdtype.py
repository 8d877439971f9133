import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    c = torch.empty(2, 2, dtype=torch.float64)
    with torch.enable_grad():
        torch.add(x.detach(), 1, out=c)
    return c * x

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
