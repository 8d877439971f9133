"""`arange` is float if any bound is, and `full` has the dtype of its value, by keyword, too: sums are cast back."""

import torch


def run(x: torch.Tensor):
    scores = torch.zeros(2, dtype=torch.float16)
    steps = torch.arange(0, 2.0)
    scores += steps
    counts = torch.zeros(2, dtype=torch.int32)
    ends = torch.arange(0, end=2)
    counts += ends
    low = torch.zeros(2, dtype=torch.float16)
    filled = torch.full((2,), fill_value=0.5)
    low += filled
    return scores, counts, low, x * 2


def example():
    return run, (torch.tensor([0.5, -1.0], requires_grad=True),)
