"""Elements that a factory made are held in a list, too, and written in a loop."""

from collections import defaultdict

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    inbox = defaultdict(lambda: torch.zeros(3))
    seen = [inbox[k] for k in range(2)]
    for k in range(2):
        inbox[k] += x.exp() * k
    return sum(s * x for s in seen)


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
