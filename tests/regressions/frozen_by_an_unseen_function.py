"""A function that the file doesn't define freezes a layer, or visits it: torch allows the change, with a graph."""

import types

import torch
from torch import nn


def _quiet(module):
    for p in module.parameters():
        object.__getattribute__(p, "requires_grad_")(False)


helpers = types.SimpleNamespace(quiet=_quiet)


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = nn.Linear(3, 3, bias=False)
        self.slow = nn.Linear(3, 3, bias=False)
        helpers.quiet(self.slow)
        self.visited = nn.Linear(3, 3, bias=False)
        self.visited.apply(helpers.quiet)

    def update(self):
        for p, q in zip(self.slow.parameters(), self.student.parameters()):
            p.mul_(0.9)
            p.add_(q, alpha=0.1)

    def copy(self):
        self.slow.weight.copy_(self.student.weight)

    def visit(self):
        self.visited.weight.copy_(self.student.weight)

    def forward(self, x):
        self.copy()
        self.visit()
        self.update()
        return self.slow(x) + self.visited(x)


def example():
    torch.manual_seed(0)
    return Teacher(), (torch.randn(2, 3, requires_grad=True),)
