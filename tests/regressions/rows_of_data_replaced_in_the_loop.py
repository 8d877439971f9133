"""`.data` gets other memory while the loop runs over rows of the old one: they aren't taken by index."""

import torch


def run(x: torch.Tensor, w: torch.Tensor):
    q = x.abs()
    for mix in q:
        q.data = q.data * 2
        q += torch.sin(x)
    return mix


def example():
    x = torch.tensor([[1.439, 1.548], [0.365, -0.27], [-1.44, -0.04]], requires_grad=True)
    return run, (x, torch.tensor([1.197, -0.319], requires_grad=True))
