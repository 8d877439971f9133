"""A memo in the attributes of an object, asked for by setdefault: a store into a dictionary, not into a tensor."""

import torch


def cached(rule, name):
    factor = getattr(rule, name)
    cache = rule.__dict__.setdefault("_cache", {})
    key = (name, float(factor))
    if key not in cache:
        cache[key] = torch.exp(-1 / factor)
    return cache[key]


def example():
    rule = torch.nn.Module()
    rule.factor = torch.tensor(2.0)

    def f(x):
        return x * cached(rule, "factor") + cached(rule, "factor")

    return f, (torch.randn(3, requires_grad=True),)
