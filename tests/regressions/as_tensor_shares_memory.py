"""`torch.as_tensor` shares memory with the array, which is read after the write."""

import numpy as np
import torch


def f(x: torch.Tensor):
    arr = np.zeros(2, dtype=np.float32)
    t = torch.as_tensor(arr)
    t[0] = 1
    return x * arr.sum().item()


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
