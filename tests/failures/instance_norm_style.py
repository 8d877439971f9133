"""AdaIN with mean and std taken off in place.

Torch: modified by an inplace operation
"""
import torch


def adain(content, style):
    c = content.flatten(2)
    s = style.flatten(2)
    out = c - c.mean(-1, keepdim=True)
    sd = out.std(-1, keepdim=True)
    out /= sd
    out *= s.std(-1, keepdim=True)
    out += s.mean(-1, keepdim=True)
    return out.view_as(content)


def example():
    torch.manual_seed(0)
    return adain, (torch.randn(1, 2, 2, 2, requires_grad=True), torch.randn(1, 2, 2, 2, requires_grad=True))
