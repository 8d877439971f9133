"""Attention with a coverage vector that accumulates the weights of all steps.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class CoverageAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.W_h = nn.Linear(d, d, bias=False)
        self.W_s = nn.Linear(d, d)
        self.w_c = nn.Linear(1, d, bias=False)
        self.v = nn.Linear(d, 1, bias=False)

    def forward(self, enc, dec_states):
        coverage = torch.zeros(enc.size(0))
        cov_loss = 0
        contexts = []
        for s in dec_states:
            e = self.v(torch.tanh(self.W_h(enc) + self.W_s(s) + self.w_c(coverage.unsqueeze(1)))).squeeze(1)
            a = torch.softmax(e, dim=0)
            cov_loss = cov_loss + torch.min(a, coverage).sum()
            coverage += a
            contexts.append(a @ enc)
        return torch.stack(contexts), cov_loss


def example():
    torch.manual_seed(0)
    return CoverageAttention(2), (torch.randn(3, 2), torch.randn(3, 2))
