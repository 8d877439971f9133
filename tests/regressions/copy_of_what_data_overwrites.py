"""What autograd saved is overwritten through `.data`, which backward uses: a copy made when it saves would not have it."""

import torch


def run(x: torch.Tensor, again: bool):
    z = torch.sigmoid(x)
    z.data.div_(z.data.norm() + 1)
    if again:
        row = z[1:]
        row *= 2
    return z


def example():
    return run, (torch.tensor([0.8, -1.0, 0.5], requires_grad=True), False)
