"""Mixture of experts: gates below the k-th largest are dropped and the rest renormalised.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MoE(nn.Module):
    def __init__(self, dim, n_experts, k):
        super().__init__()
        self.router = nn.Linear(dim, n_experts)
        self.experts = nn.ModuleList(nn.Linear(dim, dim) for _ in range(n_experts))
        self.k = k

    def forward(self, x):
        gates = self.router(x).softmax(dim=-1)
        kth = gates.topk(self.k, dim=-1).values[:, -1:]
        gates[gates < kth] = 0
        gates /= gates.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            out += gates[:, i:i + 1] * expert(x)
        return out


def example():
    torch.manual_seed(0)
    return MoE(2, 3, 2), (torch.randn(2, 2),)
