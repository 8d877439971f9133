"""The functions of torch for lists of tensors make new ones, and may save all that they are given."""

import torch


def scaled(x: torch.Tensor, y: torch.Tensor):
    hidden = [x.sigmoid(), y.tanh()]
    products = torch._foreach_mul(hidden, 2.0)
    hidden[0].add_(1)
    return products[0].sum() + products[1].sum() + hidden[0].sum()


def exponentials(x: torch.Tensor):
    made = torch._foreach_exp([x, x * 2])
    first = made[0]
    first += 1
    return first.sum() + made[0].sum()


def overwritten(x: torch.Tensor, y: torch.Tensor):
    hidden = [x * 2, y * 2]
    sums = torch._foreach_add(hidden, [x, y])
    hidden[1].mul_(3)
    return sums[0].sum() + sums[1].sum() + hidden[1].sum()


def example():
    def drive(x, y):
        return scaled(x, y), exponentials(x), overwritten(x, y)

    return drive, (torch.tensor([0.5, 1.5], requires_grad=True), torch.tensor([0.25, 2.0], requires_grad=True))
