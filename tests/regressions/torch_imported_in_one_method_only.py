"""A file that imports torch in one method alone gets no `torch.` anywhere else."""

from torch import nn


class M(nn.Module):
    def reset(self):
        import torch

        return torch.zeros(3)

    def forward(self, x):
        y = x.exp()
        z = y * y
        y.zero_()
        return z + y


def example():
    from torch import ones

    return M(), (ones(2, requires_grad=True),)
