"""A method of a tensor that is called by another name writes: a `.data` store before it can't become a rebinding."""

import torch


def stored(x: torch.Tensor) -> torch.Tensor:
    acc = x.clone()
    acc.data = acc.exp()
    bump = acc.mul_
    bump(2)
    return acc


def through_data(x: torch.Tensor) -> torch.Tensor:
    acc = x.clone()
    acc.data = torch.sigmoid(acc)
    for step in (acc.mul_, acc.add_):
        step(2)
    return acc


def chosen(x: torch.Tensor, is_sum: bool = False) -> torch.Tensor:
    acc = x.clone()
    acc.data = torch.tanh(acc)
    step = acc.add_ if is_sum else acc.mul_
    return step(3) + acc


def handed_on(x: torch.Tensor) -> torch.Tensor:
    acc = x.clone()
    acc.data = torch.exp(acc)
    list(map(acc.mul_, [1, 2]))
    return acc


def example():

    def drive(x):
        return stored(x), through_data(x), chosen(x), chosen(x, True), handed_on(x)

    return drive, (torch.tensor([0.5, -0.25, 1.5], requires_grad=True),)
