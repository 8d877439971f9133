import torch
import torch.nn as nn
import torch.nn.functional as F
def f(x: torch.Tensor):
    return [t.add_(i) for t in [x.exp()] for i in range(3)]

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
