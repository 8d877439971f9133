"""What the message of an assertion binds is there for the handler of its exception."""

import torch


def run(x: torch.Tensor, is_fine: bool):
    y = x * 2
    z = y
    try:
        assert is_fine, (y := x * 5)
    except AssertionError:
        pass
    z += 1
    return z * y


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True), False)
