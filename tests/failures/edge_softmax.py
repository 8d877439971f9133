"""Graph attention: exponentiated scores are divided by their segment sums in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.W = nn.Linear(d, d, bias=False)
        self.a = nn.Parameter(torch.randn(2 * d))

    def edge_softmax(self, scores, dst, n):
        alpha = (scores - scores.max()).exp()
        denom = torch.zeros(n)
        denom.index_add_(0, dst, alpha)
        alpha /= denom[dst] + 1e-9
        return alpha

    def forward(self, x, edges):
        src, dst = edges
        h = self.W(x)
        e = F.leaky_relu(torch.cat([h[src], h[dst]], dim=1) @ self.a, 0.2)
        alpha = self.edge_softmax(e, dst, len(x))
        out = torch.zeros_like(h)
        out.index_add_(0, dst, alpha[:, None] * h[src])
        return out


def example():
    torch.manual_seed(0)
    return GATLayer(2), (torch.randn(3, 2), torch.tensor([[0, 1, 2, 0], [1, 2, 0, 2]]))
