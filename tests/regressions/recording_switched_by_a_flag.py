"""What was made before recording may be off keeps its graph only when it is written in place."""

from contextlib import nullcontext

import torch


def by_flag(x, train):
    h = torch.sin(x)
    with torch.set_grad_enabled(train):
        h += 1
    return h * x


def by_choice(x, frozen):
    h = torch.sin(x)
    with torch.no_grad() if frozen else nullcontext():
        h += 1
    return h * x


def by_statement(x, frozen):
    h = torch.sin(x)
    if frozen:
        torch.set_grad_enabled(False)
    h += 1
    torch.set_grad_enabled(True)
    return h * x


def by_manager(x, frozen):
    h = torch.sin(x)
    mode = torch.no_grad() if frozen else nullcontext()
    with mode:
        h += 1
    return h * x


def by_other_name(x):
    h = torch.sin(x)
    with torch.autograd.grad_mode.set_grad_enabled(mode=False):
        h += 1
    return h * x


def _shifted(h):
    h -= h.mean()
    return h


def by_caller(x, frozen):
    h = torch.sin(x)
    if frozen:
        with torch.no_grad():
            h = _shifted(h)
    else:
        h = _shifted(h)
    return h * x


def f(x):
    return (
        *(by_flag(x, train) for train in (False, True)),
        *(by_choice(x, frozen) for frozen in (False, True)),
        *(by_statement(x, frozen) for frozen in (False, True)),
        *(by_manager(x, frozen) for frozen in (False, True)),
        by_other_name(x),
        *(by_caller(x, frozen) for frozen in (False, True)),
    )


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
