"""An attribute that only some paths replace may hold what it held before: another attribute may hold that, too."""

import torch


class Model(torch.nn.Module):
    def __init__(self, start):
        super().__init__()
        self.state = self.start = start

    def forward(self, x, reset):
        if reset:
            self.state = x * 2
        self.state.mul_(2)
        return self.state + self.start


def example():
    x = torch.tensor([0.5, 1.5, -0.5], requires_grad=True)
    return Model(torch.tensor([1.0, 2.0, 3.0])), (x, False)
