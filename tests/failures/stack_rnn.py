"""A stack-augmented RNN: push and pop move the stack's rows in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class StackRNN(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.action = nn.Linear(dim, 2)
        self.value = nn.Linear(dim, 1)
        self.mix = nn.Linear(dim + 1, dim)
        self.depth = depth

    def forward(self, xs):
        stack = torch.zeros(self.depth)
        h = torch.zeros(xs.size(1))
        for x in xs:
            h = torch.tanh(self.mix(torch.cat([h + x, stack[:1]])))
            push, pop = torch.softmax(self.action(h), dim=0)
            old = stack.clone()
            stack[1:-1] = push * old[:-2] + pop * stack[2:]
            stack[0] = push * torch.sigmoid(self.value(h))[0] + pop * stack[1]
        return h, stack


def example():
    torch.manual_seed(0)
    return StackRNN(2, 4), (torch.randn(3, 2),)
