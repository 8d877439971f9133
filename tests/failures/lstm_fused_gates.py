"""A hand-written LSTM cell that squashes its fused gates in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class LSTMCell(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.x2h = nn.Linear(input_size, 4 * hidden_size)
        self.h2h = nn.Linear(hidden_size, 4 * hidden_size, bias=False)

    def forward(self, x, state):
        h, c = state
        gates = self.x2h(x) + self.h2h(h)
        n = 3 * self.hidden_size
        gates[:, :n].sigmoid_()
        gates[:, n:].tanh_()
        i, f, o, g = gates.chunk(4, 1)
        c = f * c + i * g
        h = o * torch.tanh(c)
        return h, c


def example():
    torch.manual_seed(0)
    cell = LSTMCell(2, 2)
    return cell, (torch.randn(2, 2), (torch.randn(2, 2), torch.randn(2, 2)))
