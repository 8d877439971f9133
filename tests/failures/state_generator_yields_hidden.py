"""A generator yields the state that it goes on changing.

Torch: modified by an inplace operation
"""
import torch


def rollout(h, ws):
    h = torch.tanh(h)
    for w in ws:
        h *= w
        h = torch.sigmoid(h)
        yield h
        h += 0.1


def total(h, ws):
    loss = 0.0
    for state in rollout(h, ws):
        loss = loss + (state ** 2).sum()
    return loss


def example():
    torch.manual_seed(0)
    return total, (torch.randn(3, requires_grad=True), torch.randn(2, 3, requires_grad=True))
