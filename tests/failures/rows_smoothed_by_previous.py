"""Frames are smoothed with the frame before, over two slices of one tensor.

Torch: is a view and is being modified inplace
"""
import torch


def smooth(frames, decay):
    y = torch.tanh(frames)
    prev = None
    for frame in y:
        if prev is not None:
            frame.mul_(1 - decay).add_(decay * prev)
        prev = frame
    return y


def example():
    torch.manual_seed(0)
    return smooth, (torch.randn(3, 2, requires_grad=True), torch.tensor(0.25, requires_grad=True))
