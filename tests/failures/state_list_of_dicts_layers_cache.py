"""A per-layer cache of keys and values is a list of dictionaries, updated in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, d, n_layers):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(n_layers)])

    def step(self, x, cache):
        for i, layer in enumerate(self.layers):
            k = torch.tanh(layer(x))
            if "sum" in cache[i]:
                cache[i]["sum"] += k
            else:
                cache[i]["sum"] = k
            x = x + cache[i]["sum"] ** 2
        return x

    def forward(self, xs):
        cache = [{} for _ in self.layers]
        out = 0
        for x in xs:
            out = out + self.step(x, cache).sum()
        return out


def example():
    torch.manual_seed(0)
    return Decoder(2, 2), (torch.randn(3, 1, 2),)
