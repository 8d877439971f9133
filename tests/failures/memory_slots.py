"""An episodic memory whose slots are overwritten after they have been read by attention.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SlotMemory(nn.Module):
    def __init__(self, slots, dim):
        super().__init__()
        self.key = nn.Linear(dim, dim)
        self.write = nn.Linear(dim, dim)
        self.slots, self.dim = slots, dim

    def forward(self, xs):
        self.memory = torch.zeros(self.slots, self.dim)
        reads = []
        for t, x in enumerate(xs):
            idx = t % self.slots
            self.memory[idx] = torch.tanh(self.write(x))
            att = torch.softmax(self.memory @ self.key(x), dim=0)
            reads.append(att @ self.memory)
        return torch.stack(reads)


def example():
    torch.manual_seed(0)
    return SlotMemory(2, 2), (torch.randn(4, 2),)
