"""Causal self-attention that sets the weights of later positions to zero after the softmax."""

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / x.size(-1) ** 0.5
        weights = torch.softmax(scores, dim=-1)
        later = torch.ones_like(weights).triu(1) > 0
        weights[later] = 0.0  # softmax() needs its result in backward
        weights /= weights.sum(dim=-1, keepdim=True)
        return weights @ self.value(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = CausalAttention(16)
    loss = model(torch.randn(2, 6, 16)).pow(2).mean()
    loss.backward()
    print(f"loss {loss.item():.4f}, gradient of the queries {model.query.weight.grad.norm().item():.4f}")
