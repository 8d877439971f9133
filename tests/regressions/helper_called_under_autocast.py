"""A private function that autocast reaches through its caller keeps the dtype of the tensor that it writes."""

import torch


def _shift(t, k):
    t -= k


def run(x: torch.Tensor):
    e = torch.tanh(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        s = e @ torch.ones(2, 2)
        _shift(s, e)
    return s


def example():
    return run, (torch.tensor([[0.5, -1.0], [0.3, 0.2]], requires_grad=True),)
