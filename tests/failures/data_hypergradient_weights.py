"""Example weights are clamped through .data before they weigh the loss.

Torch: nothing, the gradient is wrong
"""
import torch


def reweighted_loss(losses, logits):
    w = torch.sigmoid(logits) * 2
    w.data[w.data < 0.9] = 0
    w.data /= w.data.sum()
    return (w * losses).sum()


def example():
    torch.manual_seed(0)
    return reweighted_loss, (torch.randn(4).exp().requires_grad_(), torch.randn(4, requires_grad=True))
