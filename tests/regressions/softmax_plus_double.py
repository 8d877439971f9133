"""A softmax keeps its float32 when the argument, cast to float64, is added."""

import torch


def run(x, b, flag):
    feat = x
    gate = x.to(torch.float64)
    r = torch.softmax(feat, 1)
    r += gate
    return r


def example():
    return run, (
        torch.tensor([[1.585, 0.603, -1.891, -1.029], [-1.137, 0.492, -0.825, -0.043]], requires_grad=True),
        torch.tensor([-0.663, -0.951], requires_grad=True),
        True,
    )
