import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import lru_cache
def f(x: torch.Tensor):
    y = x.exp()
    def g():
        return y
    h = lru_cache()(g)
    z = h()
    y += 1
    return z * y

def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
