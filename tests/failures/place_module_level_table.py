"""A table of gates is filled at module level by a function that a script calls for every layer.

Torch: modified by an inplace operation
"""
import torch

gates = []


def build(x, ws):
    gates.clear()
    h = x
    for w in ws:
        h = torch.sigmoid(h @ w)
        gates.append(h)
    for i in range(len(gates)):
        gates[i] *= 0.5
    return sum(g.sum() for g in gates)


def example():
    torch.manual_seed(0)
    return build, (torch.randn(2, 2), [torch.randn(2, 2, requires_grad=True) for _ in range(2)])
