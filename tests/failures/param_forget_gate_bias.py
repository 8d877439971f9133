"""The forget gate of an LSTM starts with a bias of one.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, n_in, hidden):
        super(Encoder, self).__init__()
        self.lstm = nn.LSTM(n_in, hidden, batch_first=True)

    def init_weights(self):
        for names in self.lstm._all_weights:
            for name in filter(lambda n: "bias" in n, names):
                bias = getattr(self.lstm, name)
                n = bias.size(0)
                start, end = n // 4, n // 2
                bias[start:end].fill_(1.0)

    def forward(self, x):
        self.init_weights()
        out, _ = self.lstm(x)
        return out[:, -1]


def example():
    torch.manual_seed(0)
    return Encoder(2, 2), (torch.randn(2, 3, 2),)
