"""Rows are run over while masks overwrite their tensor with its own elements: a row is taken when its round begins."""

import torch


def run(x: torch.Tensor, flag: bool):
    probs = x.exp()
    for t in probs:
        probs[0] = t
        probs[x > 0.0537] = probs[x > 1]
    mix = probs
    return mix


def example():
    return run, (torch.tensor([[-0.905, -1.142, 1.703], [0.634, 0.096, 0.169]], requires_grad=True), True)
