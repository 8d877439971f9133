"""A learned temperature is clamped inside forward.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class LearnedTemperature(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(5.0))

    def forward(self, a, b):
        self.logit_scale.clamp_(0, 4.6052)
        return self.logit_scale.exp() * a @ b.t()


def example():
    torch.manual_seed(0)
    return LearnedTemperature(), (torch.randn(2, 2), torch.randn(2, 2))
