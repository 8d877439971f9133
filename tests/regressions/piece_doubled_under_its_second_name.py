"""A piece is written by its second name: both names get the new piece before the pieces are put together."""

import torch


def run(x: torch.Tensor):
    state = x.exp()
    top, view = state.chunk(2, dim=0)
    delta = view
    delta += delta
    return state


def example():
    return run, (torch.tensor([[-0.427, 0.796], [1.208, 1.52], [-0.923, -1.597]], requires_grad=True),)
