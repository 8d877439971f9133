"""An attribute begins as the number 0; once it is a tensor, `+=` overwrites what a product saved."""

import torch


class Scheduler:
    def __init__(self):
        self.total = 0

    def step(self, output: torch.Tensor, scale: torch.Tensor):
        self.total += output / 6
        seen = torch.tanh(self.total * scale)
        self.total += torch.exp(seen)
        return self.total, seen


def run(x, scale):
    scheduler = Scheduler()
    first, _ = scheduler.step(x.sigmoid(), scale)
    kept = first * scale
    second, _ = scheduler.step(x.sigmoid(), scale)
    return kept + second


def example():
    torch.manual_seed(0)
    return run, (torch.randn(3, requires_grad=True), torch.tensor(2.0, requires_grad=True))
