"""Leaky integrate-and-fire neurons with a soft spike; the membrane is reset in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class LIF(nn.Module):
    def __init__(self, n_in, n_out, beta=0.9, threshold=1.0):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out)
        self.beta = nn.Parameter(torch.tensor(beta))
        self.threshold = threshold

    def forward(self, spikes_in):
        mem = torch.zeros(spikes_in.size(1), self.fc.out_features)
        rec = []
        for t in range(spikes_in.size(0)):
            mem = self.beta * mem + self.fc(spikes_in[t])
            spk = torch.sigmoid(5 * (mem - self.threshold))
            fired = spk > 0.5
            mem[fired] -= self.threshold
            spk[~fired] = 0
            rec.append(spk)
        return torch.stack(rec), mem


def example():
    torch.manual_seed(3)
    return LIF(2, 2), (2 * torch.randn(4, 2, 2),)
