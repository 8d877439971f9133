"""What two branches make never meets, but what one of them makes, or a loop or a helper makes twice, does."""

import torch


def in_one_branch(x: torch.Tensor, flag):
    y = x.exp()
    if flag:
        a, b = y[0], y[1]
    else:
        a, b = y[0], y[0]
    a.add_(1)
    return a * b


def by_two_tests(x: torch.Tensor, flag):
    y = x.exp()
    if flag:
        a = y[0]
    else:
        a = y[1]
    if flag:
        b = y[1]
    else:
        b = y[0]
    a.add_(1)
    if not flag:
        b = y[1]
    return a * b


def in_rounds(x: torch.Tensor):
    y = x.exp()
    a = b = y[1]
    for i in range(2):
        if i:
            a = y[0]
        else:
            b = y[0]
    a.add_(1)
    return a * b


def _first(t):
    return t[0]


def by_a_helper(x: torch.Tensor, flag):
    y = x.exp()
    if flag:
        a = _first(y)
    else:
        a = y[1]
    b = _first(y)
    a.mul_(2)
    return a * b


def example():
    def f(x):
        found = [in_rounds(x)]
        for flag in (True, False):
            found += [in_one_branch(x, flag), by_two_tests(x, flag), by_a_helper(x, flag)]
        return found

    return f, (torch.tensor([[0.5, -1.0], [2.0, 0.25]]),)
