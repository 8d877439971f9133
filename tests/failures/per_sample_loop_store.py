"""Per-sample results are stored back into the batch tensor in a loop over its rows.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PerSample(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def refine(self, v):
        return v + torch.tanh(self.fc(v))

    def forward(self, x, n_iters):
        out = self.fc(x)
        for b in range(x.size(0)):
            for _ in range(n_iters[b]):
                out[b] = self.refine(out[b])
        return out


def example():
    torch.manual_seed(0)
    return PerSample(2), (torch.randn(2, 2), [1, 2])
