"""A metric writes what it is given, and the next one reads it."""

import torch


class Meter:
    def __init__(self) -> None:
        self.history = []

    def update(self, scores: torch.Tensor) -> None:
        scores *= 2
        self.history.append(scores.sum().item())


def f(x: torch.Tensor, meters: list[Meter]) -> torch.Tensor:
    y = x * 3
    for meter in meters:
        meter.update(y)
    return x * torch.tensor([m.history[0] for m in meters]).sum()


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), [Meter(), Meter()])
