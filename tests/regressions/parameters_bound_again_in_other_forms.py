"""An import and a pattern bind a parameter again, so that it doesn't keep the None that a call gave."""

import torch


def imported(x, act=None):
    from math import exp as act

    return torch.exp(x) if act is None else x


def matched(x, case, act=None):
    match case:
        case {"act": act}:
            pass
    return torch.exp(x) if act is None else x


def both(x, case):
    h = x * 2
    y = imported(h, None)
    y += 1
    k = x * 3
    z = matched(k, case)
    z += 1
    return h, k, y, z


def example():
    return both, (torch.tensor([0.5, 1.5], requires_grad=True), {"act": 1})
