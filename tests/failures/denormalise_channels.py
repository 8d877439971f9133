"""The channels of an image are scaled back one by one, for a loss on pixels.

Torch: is a view and is being modified inplace
"""
import torch

MEANS = [0.5, 0.4, 0.3]
STDS = [0.2, 0.3, 0.4]


def denormalise(image):
    pixels = image.clone()
    for channel, mean, std in zip(pixels[0], MEANS, STDS):
        channel.mul_(std).add_(mean)
    return pixels


def example():
    torch.manual_seed(0)

    def loss(image):
        return (denormalise(image) ** 2).sum()

    return loss, (torch.randn(1, 3, 2, 2, requires_grad=True),)
