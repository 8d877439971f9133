"""A layer norm written by hand: the mean is taken off, then the result is divided in place."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.pow(2).mean(-1, keepdim=True)
        centred /= (variance + self.eps).sqrt()  # pow() needs `centred` as it was
        return centred * self.weight + self.bias


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), LayerNorm(16), nn.ReLU(), nn.Linear(16, 1))
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    print(f"loss {loss.item():.4f}, gradient of the first layer {model[0].weight.grad.norm().item():.4f}")
