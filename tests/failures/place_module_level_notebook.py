"""A notebook's script: everything at module level, the hidden state a global name.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn

torch.manual_seed(0)
rnn = nn.RNNCell(2, 3)
readout = nn.Linear(3, 1)
decay = 0.9
hidden = torch.zeros(1, 3)


def run_sequence(seq):
    global hidden
    hidden = torch.zeros(1, 3)
    outs = []
    for x in seq:
        hidden = rnn(x, hidden)
        hidden *= decay
        outs.append(readout(hidden))
    return torch.cat(outs).sum()


def example():
    torch.manual_seed(0)
    return run_sequence, (torch.randn(3, 1, 2, requires_grad=True),)
