"""An attack that adds its noise to an input that requires grad.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def attack_loss(model, image, noise):
    adv = torch.tensor(image.tolist(), requires_grad=True)
    adv += noise
    adv.clamp_(0, 1)
    return model(adv).sum()


def example():
    torch.manual_seed(0)
    return attack_loss, (nn.Linear(3, 1), torch.rand(2, 3), 0.05 * torch.randn(2, 3))
