"""Sample weights from an exponential, overwritten for one class.

Torch: modified by an inplace operation
"""
import torch
import torch.nn.functional as F


def weighted_ce(logits, targets, difficulty, minority=2, w=3.0):
    weights = torch.exp(-difficulty)
    weights[targets == minority] = w
    loss = F.cross_entropy(logits, targets, reduction='none')
    loss[targets == 0] *= 0.5
    return (weights * loss).sum() / weights.sum()


def example():
    torch.manual_seed(0)
    return weighted_ce, (torch.randn(4, 3, requires_grad=True), torch.tensor([0, 2, 1, 2]), torch.rand(4, requires_grad=True))
