"""A logging helper rescales the activations to draw a histogram.

Torch: modified by an inplace operation
"""
import torch

HISTOGRAMS = {}


def log_histogram(tag, values, bins=4):
    flat = values.flatten()
    flat -= flat.min()
    flat /= flat.max() + 1e-8
    HISTOGRAMS[tag] = torch.histc(flat.detach(), bins, 0, 1)


def forward(x, w1, w2):
    h = torch.tanh(x @ w1)
    out = (h @ w2).sum()
    log_histogram("hidden", h)
    return out


def example():
    torch.manual_seed(0)
    return forward, (torch.randn(3, 2), torch.randn(2, 4, requires_grad=True), torch.randn(4, 1, requires_grad=True))
