"""Channels are normalised in place one by one, as old torchvision did.

Torch: is a view and is being modified inplace
"""
import torch


class UnNormalize(object):
    def __init__(self, mean, std):
        self.mean = mean
        self.std = std

    def __call__(self, tensor):
        for t, m, s in zip(tensor, self.mean, self.std):
            t.mul_(s).add_(m)
        return tensor


def perceptual(decoder, z):
    img = torch.tanh(z @ decoder)
    img = UnNormalize([0.4, 0.5], [0.2, 0.3])(img)
    return (img ** 2).sum()


def example():
    torch.manual_seed(0)
    return perceptual, (torch.randn(3, 4, requires_grad=True), torch.randn(2, 3, requires_grad=True))
