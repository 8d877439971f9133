"""Predicted durations: padded entries of a saved exponential are filled with masked_fill_.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class DurationModel(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, 1)

    def forward(self, x, lengths):
        dur = self.fc(x).squeeze(-1).exp()
        pad = torch.arange(x.size(1))[None] >= lengths[:, None]
        dur.masked_fill_(pad, 0.)
        ends = torch.cumsum(dur, dim=1)
        dur.div_(ends[:, -1:])
        return dur, ends


def example():
    torch.manual_seed(0)
    return DurationModel(2), (torch.randn(2, 3, 2), torch.tensor([3, 1]))
