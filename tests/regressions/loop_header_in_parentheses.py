"""A loop over a tensor in parentheses, whose rows are taken by index: the new header has none left over."""

import torch


def chosen(x):
    big = torch.sigmoid(x)
    for row in (big if x.sum() > 100 else big.view(3, 3)):
        row.mul_(2)
    return big


def paired(x, gains):
    y = x.exp()
    for (row), gain in (
        zip((y), gains)
    ):
        row.mul_(gain)
    return y


def counted(fast, grads):
    fast = [torch.exp(w) for w in fast]
    for (w), g in zip(fast, grads):
        w.data -= 0.1 * g
    return fast[0] + fast[1]


def f(x):
    return chosen(x) + paired(x, [1.0, 2.0, 3.0]) + counted([x, x * 2], [x.detach(), x.detach()])


def example():
    torch.manual_seed(0)
    return f, (torch.randn(3, 3, requires_grad=True),)
