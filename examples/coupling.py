"""An affine coupling layer of a normalising flow: one half of a buffer is changed through a view."""

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim // 2, 32), nn.Tanh(), nn.Linear(32, dim))

    def forward(self, x):
        half = x.size(1) // 2
        out = x.clone()
        left = out[:, :half]
        right = out[:, half:]
        log_scale, shift = self.net(left).chunk(2, dim=1)
        right *= torch.exp(log_scale)  # Linear() needs `left`, which looks into the same memory
        right += shift
        return out


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(Coupling(8), Coupling(8))
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    print(f"loss {loss.item():.4f}, gradient of the first layer {model[0].net[0].weight.grad.norm().item():.4f}")
