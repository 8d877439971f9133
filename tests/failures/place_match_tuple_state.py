"""A match statement takes a message apart and updates the memory with it.

Torch: modified by an inplace operation
"""
import torch


def interpret(program, x):
    acc = torch.tanh(x)
    out = 0
    for op in program:
        match op:
            case ("scale", k):
                acc *= k
            case ("shift", k):
                acc += k
            case ("emit",):
                out = out + (acc ** 2).sum()
    return out


def example():
    torch.manual_seed(0)
    program = [("emit",), ("scale", 2.0), ("shift", -0.5), ("emit",)]
    return interpret, (program, torch.randn(3, requires_grad=True))
