"""Each channel of each image of a batch is stretched to its own maximum.

Torch: is a view and is being modified inplace
"""
import torch


def stretch(batch):
    for img in batch:
        for channel in img:
            channel.div_(channel.max())
    return batch


def loss(logits):
    images = torch.sigmoid(logits)
    return (stretch(images) ** 2).sum()


def example():
    torch.manual_seed(0)
    return loss, (torch.randn(2, 2, 3, requires_grad=True),)
