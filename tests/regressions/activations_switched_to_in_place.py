"""All activations are switched to in place after they were made: the result is the input, which is read later."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        for m in self.modules():
            if isinstance(m, nn.ReLU):
                m.inplace = True

    def forward(self, x):
        h = x * 3
        y = self.relu(h)
        y += 1
        return h * y


def example():
    return Net(), (torch.tensor([0.5, 1.5], requires_grad=True),)
