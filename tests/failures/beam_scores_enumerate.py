"""Beam scores in a list are divided by a length penalty while enumerating over it.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class BeamScorer(nn.Module):
    def __init__(self, d, vocab):
        super().__init__()
        self.out = nn.Linear(d, vocab)
        self.length_penalty = nn.Parameter(torch.tensor(0.6))

    def forward(self, beams):
        scores = [torch.softmax(self.out(b), dim=-1) for b in beams]
        for i, s in enumerate(scores):
            s /= (i + 1) ** self.length_penalty
        return torch.stack(scores).sum(-1), scores[0]


def example():
    torch.manual_seed(0)
    return BeamScorer(2, 3), ([torch.randn(2), torch.randn(2)],)
