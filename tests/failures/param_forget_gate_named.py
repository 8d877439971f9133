"""The forget gate's bias by names of the parameters.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def init_lstm(lstm):
    for name, param in lstm.named_parameters():
        if "weight_hh" in name:
            param.mul_(0.5)
        elif "bias" in name:
            n = param.shape[0]
            param[n // 4 : n // 2] = 1.0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(2, 2)

    def forward(self, x):
        init_lstm(self.rnn)
        return self.rnn(x)[0]


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(3, 1, 2),)
