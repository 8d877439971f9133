"""`case True:` and `case None | False:` hold no expressions that could be looked into."""

import torch


def run(x: torch.Tensor, flag: bool):
    y = x.exp()
    match flag:
        case True:
            y[0] = 0
        case None | False:
            y.mul_(2)
    return y


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True), True)
