"""`torch.from_numpy` shares memory with the array, which is read after the write."""

import numpy as np
import torch


def f(x: torch.Tensor):
    arr = np.zeros(2, dtype=np.float32)
    t = torch.from_numpy(arr)
    t += 1
    return x * arr.sum().item()


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
