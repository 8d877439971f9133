"""In place an operand is cast; a plain store under an index of tensors takes one dtype alone."""

import torch


def counted(x, index, k):
    y = torch.zeros(3)
    y[index] += k
    z = x.exp()
    z[index] *= k
    return y, z


def example():
    index, k = torch.tensor([0, 2]), torch.tensor([1.5, 2.0], dtype=torch.float64)
    return counted, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), index, k)
