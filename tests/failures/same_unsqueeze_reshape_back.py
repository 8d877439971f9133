"""A weight is reshaped to a matrix, orthogonalised there and shaped back.

Torch: modified by an inplace operation
"""
import torch


def standardise(weight):
    flat = weight.reshape(weight.size(0), -1)
    flat -= flat.mean(1, keepdim=True)
    flat /= flat.std(1, keepdim=True) + 1e-5
    return flat.reshape(weight.shape)


def conv(x, v, g):
    weight = torch.tanh(v) * g
    weight = torch.sigmoid(weight)
    return torch.nn.functional.conv2d(x, standardise(weight)).pow(2).sum()


def example():
    torch.manual_seed(0)
    return conv, (torch.randn(1, 2, 2, 2), torch.randn(2, 2, 1, 2, requires_grad=True), torch.tensor(1.2, requires_grad=True))
