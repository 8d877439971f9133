# cause: out-of-place, fix: safe
import torch


def inner(value: torch.Tensor) -> torch.Tensor:
    activated = torch.sigmoid(value)  # victim
    activated.mul_(2)  # culprit
    return activated


def outer(value: torch.Tensor) -> torch.Tensor:
    return inner(value) + 1


x = torch.rand(4, requires_grad=True)
outer(x * 2).sum().backward()
