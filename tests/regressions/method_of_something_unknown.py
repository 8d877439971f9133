"""A method of something unknown, `state.unbind(0)`, is not the function `torch.unbind(0)`: `0` is no tensor."""

import torch


class Cell:
    def step(self, state, x):
        if isinstance(state, dict):
            state = state["h"]
        h = state.unbind(0)
        for i in range(2):
            h[i].add_(x)
        return h

    def pair(self, state):
        if isinstance(state, dict):
            state = state["c"]
        a, b = state.unbind(0)
        a += 1
        return a, b


def run(cell, state, x: torch.Tensor):
    return cell.step(state, x), cell.pair(state), x * 2


def example():
    return run, (Cell(), {"h": torch.arange(6.0).reshape(2, 1, 3), "c": torch.arange(6.0).reshape(2, 3) / 3}, torch.ones(3))
