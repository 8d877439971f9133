"""vector_to_parameters() makes the parameters views of the vector."""

import torch
import torch.nn as nn
from torch.nn.utils import vector_to_parameters


def f(x):
    net = nn.Linear(3, 1)
    flat = torch.ones(4)
    vector_to_parameters(flat, net.parameters())
    flat[1] = 5.0
    flat.mul_(2)
    return net(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
