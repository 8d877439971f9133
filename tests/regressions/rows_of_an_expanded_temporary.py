"""Rows of what the header of a loop makes and expands are taken from one tensor: evaluated again, it is another."""

import torch


def spread(w: torch.Tensor, v: torch.Tensor) -> list[torch.Tensor]:
    kept = []
    for x in w.sin().expand(3, 3):
        x -= x.sum() * w
        kept.append(x)
    return kept + [row * v for row in kept]


def example():
    return spread, (torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0.5, 1.0, 2.0], requires_grad=True))
