"""A tensor made from a DLPack capsule shares the memory of the tensor that is in it."""

import torch
from torch.utils.dlpack import from_dlpack, to_dlpack


def run(x: torch.Tensor):
    table = torch.ones(2)
    seen = from_dlpack(to_dlpack(table))
    table += 1
    return x * seen


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
