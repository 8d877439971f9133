"""What a walrus binds in the message of an assertion isn't taken for bound where the assertion holds."""

import torch


def run(x: torch.Tensor, is_fine: bool):
    y = x * 2
    z = y
    z += 1
    assert is_fine, (y := x * 5)
    return z * y


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True), True)
