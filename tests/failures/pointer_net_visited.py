"""A pointer network for tours: visited cities are masked in the tanh-clipped compatibilities.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PointerDecoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)

    def forward(self, nodes):
        n = nodes.size(0)
        visited = torch.zeros(n, dtype=torch.bool)
        cur, logp = 0, 0.0
        for _ in range(n - 1):
            visited[cur] = True
            u = torch.tanh(self.k(nodes) @ self.q(nodes[cur]))
            u[visited] = -20.
            p = torch.log_softmax(u, dim=0)
            cur = int(p.argmax())
            logp = logp + p[cur]
        return logp


def example():
    torch.manual_seed(0)
    return PointerDecoder(2), (torch.randn(4, 2),)
