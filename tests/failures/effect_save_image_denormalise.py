"""Images are denormalised for saving; the same tensor is the input of the perceptual loss.

Torch: is a view and is being modified inplace
"""
import torch

MEAN = torch.tensor([0.4, 0.5, 0.6]).view(3, 1, 1)
STD = torch.tensor([0.2, 0.3, 0.2]).view(3, 1, 1)
saved = []


def save_batch(images):
    for img in images:
        img.mul_(STD).add_(MEAN).clamp_(0, 1)
        saved.append(img.detach().clone())


def style_loss(content, weight):
    images = torch.tanh(content * weight)
    gram = torch.einsum("bchw,bdhw->bcd", images, images)
    save_batch(images)
    return gram.pow(2).mean()


def example():
    torch.manual_seed(0)
    return style_loss, (torch.randn(1, 3, 2, 2), torch.randn(3, 1, 1, requires_grad=True))
