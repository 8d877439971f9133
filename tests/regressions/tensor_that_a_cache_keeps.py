"""A function with a cache gives the same tensor again, which sees what was written to it."""

import functools

import torch


@functools.lru_cache(None)
def table(n):
    return torch.ones(n)


class Tables:
    @functools.lru_cache(None)
    def of(self, n):
        return torch.ones(n)


def run(x: torch.Tensor):
    t = table(3)
    t += 1
    tables = Tables()
    u = tables.of(3).view(1, 3)
    y = u * x
    u += 1
    first, second = t * x, table(3) * x
    table.cache_clear()
    return first, second, y, tables.of(3) * x


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
