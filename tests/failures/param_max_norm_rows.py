"""Max-norm: the rows of a weight are scaled down before use.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class MaxNormLinear(nn.Linear):
    def __init__(self, n_in, n_out, max_norm=0.5):
        super().__init__(n_in, n_out)
        self.max_norm = max_norm

    def forward(self, x):
        norms = self.weight.norm(dim=1, keepdim=True).detach()
        self.weight.div_(norms.clamp(min=self.max_norm) / self.max_norm)
        return super().forward(x)


def example():
    torch.manual_seed(0)
    return MaxNormLinear(3, 2), (torch.randn(2, 3),)
