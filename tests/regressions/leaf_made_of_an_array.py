"""What `requires_grad_()` makes of an array is a leaf: a change that has no graph keeps it one."""

import numpy as np
import torch


def f(x: torch.Tensor):
    w = torch.from_numpy(np.ones(2)).requires_grad_()
    w += 1
    (w * x).sum().backward()
    return w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]]),)
