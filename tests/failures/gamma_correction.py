"""Linear RGB to sRGB with a learned exponent and a store for the dark part.

Torch: modified by an inplace operation
"""
import torch


def to_srgb(linear, gamma):
    out = 1.055 * linear.clamp(min=1e-4) ** (1 / gamma) - 0.055
    tone = torch.sqrt(out + 0.1)
    dark = linear <= 0.3
    tone[dark] = 12.92 * linear[dark]
    tone[tone > 1] = 1
    return tone


def example():
    torch.manual_seed(0)
    return to_srgb, (torch.rand(2, 3, requires_grad=True), torch.tensor(2.4, requires_grad=True))
