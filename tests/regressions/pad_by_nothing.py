"""`F.pad` by nothing makes a new tensor all the same: it keeps the values from before the write."""

import torch
import torch.nn.functional as F


def f(x: torch.Tensor):
    y = x.exp()
    e = F.pad(y, (0, 0))
    y += 1
    return e, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
