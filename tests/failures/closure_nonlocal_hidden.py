"""A training helper that unrolls a cell with a closure over the hidden state.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def unroll(cell, xs, h0):
    h = h0 * 1
    losses = []

    def step(x):
        nonlocal h
        delta = torch.tanh(cell(h) + x)
        h += delta
        losses.append(h.pow(2).mean())

    for x in xs:
        step(x)
    return torch.stack(losses).sum()


def example():
    torch.manual_seed(0)
    return unroll, (nn.Linear(2, 2), torch.randn(3, 2), torch.randn(2, requires_grad=True))
