"""A residual block that saves memory: dropout in place, and the skip connection is added in place."""

import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(dim, dim),
            nn.Tanh(),
            nn.Dropout(0.1, inplace=True),  # Tanh() needs its result in backward
        )
        self.gate = nn.Linear(dim, dim)

    def forward(self, x):
        out = self.body(x)
        out *= torch.sigmoid(self.gate(x))
        out += x
        return out


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), ResidualBlock(16), ResidualBlock(16), nn.Linear(16, 1))
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    print(f"loss {loss.item():.4f}, gradient of the first layer {model[0].weight.grad.norm().item():.4f}")
