"""Pieces of a `chunk` are written while they are enumerated, and put together afterwards."""

import torch


def run(x: torch.Tensor, b: torch.Tensor):
    parts = torch.tanh(x).chunk(2, dim=-1)
    for i, part in enumerate(parts):
        part += b
        part.tanh_()
    return torch.cat(parts, dim=-1)


def example():
    return run, (torch.tensor([[0.3, -1.2], [0.7, 0.4]], requires_grad=True), torch.tensor([0.5], requires_grad=True))
