"""An LSTM cell whose gates are chunks, activated with underscore methods.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class LSTMCell(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.i2h = nn.Linear(n_in, 4 * n_hidden)
        self.h2h = nn.Linear(n_hidden, 4 * n_hidden)

    def forward(self, x, state):
        h, c = state
        preact = self.i2h(x) + self.h2h(h)
        i, f, o, g = preact.chunk(4, 1)
        i.sigmoid_()
        f.sigmoid_()
        o.sigmoid_()
        g.tanh_()
        c = f * c + i * g
        h = o * c.tanh()
        return h, c


def example():
    torch.manual_seed(0)
    return LSTMCell(2, 2), (torch.randn(1, 2), (torch.randn(1, 2), torch.randn(1, 2)))
