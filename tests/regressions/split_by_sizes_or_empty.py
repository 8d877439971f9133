"""A split by a variable is cut otherwise only where that is a number, and an empty tensor still has one piece."""

import torch


def scaled(x: torch.Tensor, sizes):
    y = torch.sigmoid(x)
    for part in torch.split(y, sizes):
        part *= 2
    return y


def counted(x: torch.Tensor, size: int):
    y = torch.sigmoid(x)
    parts = y.split(size)
    parts[0].mul_(2)
    return y, len(parts)


def run(x: torch.Tensor):
    return scaled(x.detach(), [1, 2]), counted(x, 2), counted(x[:0].detach(), 2)


def example():
    return run, (torch.tensor([0.5, 1.5, -0.5], requires_grad=True),)
