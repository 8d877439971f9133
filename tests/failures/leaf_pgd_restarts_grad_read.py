"""PGD: the perturbation steps along its gradient's sign and is projected back, all outside no_grad.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


def pgd(model, X, y, epsilon=0.1, alpha=0.04, num_iter=2):
    delta = torch.zeros_like(X, requires_grad=True)
    for t in range(num_iter):
        loss = F.cross_entropy(model(X + delta), y)
        loss.backward()
        if delta.grad is not None:
            delta += alpha * delta.grad.detach().sign()
            delta.grad.zero_()
        delta.clamp_(-epsilon, epsilon)
    return delta.detach()


def adversarial_loss(model, X, y, weight):
    return weight * F.cross_entropy(model(X + pgd(model, X, y)), y)


def example():
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    for p in model.parameters():
        p.requires_grad_(False)
    return adversarial_loss, (model, torch.randn(2, 3), torch.tensor([0, 1]), torch.tensor(0.5, requires_grad=True))
