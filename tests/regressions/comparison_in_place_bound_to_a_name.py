"""`hidden = out.gt_(1)` binds floats to two names, where `out.gt(1)` would be booleans."""

import torch


def run(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, flag: bool, buffer: torch.Tensor):
    out = x * x
    hidden = out.gt_(1)
    s = hidden
    outputs = [s, s]
    feat = outputs
    return feat


def example():
    return run, (
        torch.tensor([[-1.127, 0.747], [0.663, 0.379], [0.111, -0.729]], requires_grad=True),
        torch.tensor([-1.457, -0.758], requires_grad=True),
        torch.tensor(0.305, requires_grad=True),
        True,
        torch.tensor([[-0.799, -0.895], [0.015, 1.187], [-0.838, 1.65]]),
    )
