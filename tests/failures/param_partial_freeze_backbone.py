"""A transfer model freezes its backbone, and its new head gets a prior bias.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Transfer(nn.Module):
    def __init__(self, n_classes, prior=0.01):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.head = nn.Linear(4, n_classes)
        for name, param in self.backbone.named_parameters():
            param.requires_grad = False
        self.prior = prior

    def init_head(self):
        self.head.weight.mul_(0.01)
        self.head.bias.fill_(-4.6)

    def forward(self, x):
        self.init_head()
        return self.head(self.backbone(x))


def example():
    torch.manual_seed(0)
    return Transfer(2), (torch.randn(2, 3),)
