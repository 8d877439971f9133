"""The input is made to require grad first and normalised in place afterwards.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def saliency(model, img):
    img = img.clone()
    img.requires_grad_(True)
    img -= 0.45
    img /= 0.22
    score = model(img).max()
    return score


def example():
    torch.manual_seed(0)
    return saliency, (nn.Linear(3, 2), torch.rand(2, 3))
