"""A result of low precision that has no name can't be cast back: nothing is added to it out of place."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
        self.shift = torch.nn.Parameter(torch.linspace(0.1, 0.7, 2))

    def forward(self, x: torch.Tensor):
        return self.fc(x).add_(self.shift)


def run(net, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return net(x).float()


def example():
    torch.manual_seed(0)
    return run, (Net(), torch.tensor([[0.5, 1.5]], requires_grad=True))
