"""The two halves of a gate, cut by the size of the tensor, are changed in place.

Torch: modified by an inplace operation
"""
import torch


def gate(x):
    y = torch.tanh(x)
    a = y[..., : y.shape[-1] // 2]
    b = y[..., y.shape[-1] // 2 :]
    a += 1
    b *= 0.5
    return a * b


def example():
    return gate, (torch.tensor([[0.5, -1.0, 0.2, 0.7]], requires_grad=True),)
