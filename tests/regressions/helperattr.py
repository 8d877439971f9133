import torch
import torch.nn as nn
import torch.nn.functional as F
class Box: pass
def get(b):
    return b.h
def f(x: torch.Tensor):
    b = Box()
    b.h = x.exp()
    z = get(b)
    b.h += 1
    return z

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
