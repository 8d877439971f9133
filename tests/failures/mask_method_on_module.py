"""A method that masks the attention weights it is given.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class LocalAttention(nn.Module):
    def __init__(self, dim, window):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.window = window

    def _apply_window(self, weights):
        n = weights.size(-1)
        i = torch.arange(n)
        far = (i[:, None] - i[None, :]).abs() > self.window
        weights[far] = 0
        return weights / weights.sum(-1, keepdim=True)

    def forward(self, x):
        w = torch.softmax(self.q(x) @ self.k(x).t(), dim=-1)
        w = self._apply_window(w)
        return w @ self.v(x)


def example():
    torch.manual_seed(0)
    return LocalAttention(2, 1), (torch.randn(4, 2),)
