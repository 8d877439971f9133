"""A function that gives its argument back is called with its own result, and so is another one."""

from dataclasses import dataclass

import torch


@dataclass
class State:
    h: torch.Tensor


def same(state):
    return state


def f(x: torch.Tensor) -> torch.Tensor:
    state = State(x.exp())
    state = same(state)
    other = same(state)
    state.h += 1
    return other.h * state.h


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
