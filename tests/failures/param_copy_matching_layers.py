"""Weights of a three-channel convolution are spread over a four-channel one, in a model that freezes others.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Conv2d(3, 2, 3, padding=1)
        self.stem = nn.Conv2d(4, 2, 3, padding=1)
        self.freeze(self.backbone)

    @staticmethod
    def freeze(module):
        for p in module.parameters():
            p.requires_grad = False

    def inflate(self):
        for i in range(4):
            self.stem.weight[:, i] = self.backbone.weight[:, i % 3]
        self.stem.bias[:] = self.backbone.bias

    def forward(self, img):
        self.inflate()
        return self.stem(torch.cat([img, img.mean(1, keepdim=True)], 1)).relu().sum()


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(1, 3, 4, 4),)
