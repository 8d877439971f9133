"""Decoupled weight decay through the optimizer's param_groups.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def apply_weight_decay(optimizer, wd):
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.mul_(1 - group["lr"] * wd)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def loss(self, x, y):
        apply_weight_decay(self.opt, 0.5)
        return nn.functional.mse_loss(self.net(x), y)


def step(trainer, x, y):
    return trainer.loss(x, y)


def example():
    torch.manual_seed(0)
    return step, (Trainer(nn.Linear(2, 1)), torch.randn(3, 2, requires_grad=True), torch.randn(3, 1))
