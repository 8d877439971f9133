"""A conditional expression chooses between an in-place and another normalisation.

Torch: modified by an inplace operation
"""
import torch


def attend(scores, values, normalise=True):
    att = scores.exp()
    att = att.div_(att.sum(-1, keepdim=True)) if normalise else att
    return (att @ values).sum()


def example():
    torch.manual_seed(0)
    return attend, (torch.randn(2, 3, requires_grad=True), torch.randn(3, 2))
