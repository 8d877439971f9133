"""An element that a factory made is held under another name, too."""

from collections import defaultdict

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    inbox = defaultdict(lambda: torch.zeros(3))
    a, b = inbox["a"], inbox["b"]
    inbox["a"] += x.exp()
    return a * x + b


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
