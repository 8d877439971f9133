"""A universal perturbation is a leaf that is stepped by the sign of a direction, clamped and returned.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


def craft(direction, epsilon=0.1, alpha=0.07, num_iter=3):
    delta = torch.zeros_like(direction, requires_grad=True)
    for t in range(num_iter):
        delta += alpha * direction.detach().sign()
        delta.clamp_(-epsilon, epsilon)
    return delta


def robust_loss(model, X, y, direction):
    delta = craft(direction)
    return F.cross_entropy(model(X + delta), y)


def example():
    torch.manual_seed(0)
    return robust_loss, (nn.Linear(3, 2), torch.randn(2, 3), torch.tensor([0, 1]), torch.randn(2, 3))
