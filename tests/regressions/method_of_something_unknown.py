"""A method of something unknown, `state[0].unbind(0)`, is not the function `torch.unbind(0)`: `0` is no tensor."""

import torch


class Cell:
    def step(self, state, x):
        h = state[0].reshape(2, 1, 3).unbind(0)
        for i in range(2):
            h[i].add_(x)
        return h

    def pair(self, state):
        a, b = state[1].reshape(2, 3).unbind(0)
        a += 1
        return a, b


def run(cell, state, x: torch.Tensor):
    return cell.step(state, x), cell.pair(state), x * 2


def example():
    return run, (Cell(), (torch.arange(6.0), torch.arange(6.0) / 3), torch.ones(3))
