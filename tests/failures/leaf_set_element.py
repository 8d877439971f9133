"""Logits built from a fresh leaf whose first element is pinned.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch


def fit_step(targets):
    logits = torch.zeros(4, requires_grad=True)
    logits[0] = 1.0
    probs = torch.softmax(logits, dim=0)
    return -(targets * probs.log()).sum()


def example():
    return fit_step, (torch.tensor([0.1, 0.2, 0.3, 0.4]),)
