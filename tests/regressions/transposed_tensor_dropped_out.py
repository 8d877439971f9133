"""Dropout draws its numbers in the order of memory; `masked_fill` would give it a tensor in another order."""

import torch
import torch.nn.functional as F


def run(x: torch.Tensor):
    y = torch.tanh(x.T)
    y.relu_()
    y.masked_fill_(y >= 0.9, 0.5)
    return F.dropout(y, 0.5)


def example():
    return run, (torch.arange(12.0).view(3, 4).requires_grad_(),)
