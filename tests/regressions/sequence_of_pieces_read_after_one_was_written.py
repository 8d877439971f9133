"""One output of a split is written under its own name, and the sequence of outputs, which holds it, is read later."""

import torch


def _halves(x):
    return torch.exp(x).chunk(2, dim=-1)


def by_index(x: torch.Tensor):
    parts = x.exp().chunk(2, dim=-1)
    a, b = parts
    a.add_(1)
    return parts[0] * b


def by_a_loop(x: torch.Tensor):
    parts = _halves(x)
    a, total = parts
    a.mul_(3)
    for part in parts:
        total = total + part
    return total


def handed_back(x: torch.Tensor):
    parts = x.sin().split(1, dim=-1)
    a, b = parts
    b.mul_(2)
    return parts


def example():
    def f(x):
        return by_index(x), by_a_loop(x), handed_back(x)

    return f, (torch.tensor([[0.5, -1.0], [2.0, 0.25]]),)
