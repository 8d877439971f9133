"""Parameters that `from_pretrained` or setattr freezes: torch allows the change, with a graph."""

import torch
from torch import nn


def _quiet(module):
    for p in module.parameters():
        setattr(p, "requires_grad", False)


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = nn.Linear(3, 3, bias=False)
        self.table = nn.Embedding.from_pretrained(torch.ones(3, 3))
        self.quiet = nn.Linear(3, 3, bias=False)
        _quiet(self.quiet)

    def update(self):
        self.table.weight.mul_(0.9).add_(self.student.weight, alpha=0.1)
        self.quiet.weight.copy_(self.student.weight)

    def forward(self, x):
        self.update()
        return self.quiet(x) @ self.table.weight


def example():
    torch.manual_seed(0)
    return Teacher(), (torch.randn(2, 3, requires_grad=True),)
