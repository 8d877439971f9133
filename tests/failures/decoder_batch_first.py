"""An autoregressive decoder with a batch-first output buffer; each step feeds on the one before.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cell = nn.GRUCell(dim, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, context, steps=3):
        batch, dim = context.shape
        outs = torch.zeros(batch, steps + 1, dim, device=context.device)
        hidden = context
        for t in range(1, steps + 1):
            hidden = self.cell(outs[:, t - 1], hidden)
            outs[:, t] = self.proj(hidden)
        return outs[:, 1:]


def example():
    torch.manual_seed(2)
    return Decoder(2), (torch.randn(2, 2, requires_grad=True),)
