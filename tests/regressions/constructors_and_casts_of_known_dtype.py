"""Tensors that constructors and casts make, against anything of unknown dtype: the target keeps its dtype."""

import torch


def mixed(x: torch.Tensor, k: torch.Tensor, dtype):
    first = x * 2
    first += torch.linspace(0, 1, 2)
    second = torch.zeros(2)
    second += k
    third = x.to(dtype) * 2
    third += torch.ones(2)
    fourth = x * 2
    fourth.add_(k.double()).mul_(0.5)
    return first, second, third, fourth


def example():
    x = torch.tensor([0.5, 1.5], dtype=torch.bfloat16)
    return mixed, (x, torch.tensor([0.3, 0.7], dtype=torch.float64), torch.float16)
