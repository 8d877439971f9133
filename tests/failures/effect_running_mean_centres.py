"""A running statistics object centres the batch while it updates its mean.

Torch: modified by an inplace operation
"""
import torch


class RunningStat:
    def __init__(self, dim, momentum=0.1):
        self.mean = torch.zeros(dim)
        self.var = torch.ones(dim)
        self.momentum = momentum

    def push(self, batch):
        m = batch.mean(0).detach()
        self.mean = (1 - self.momentum) * self.mean + self.momentum * m
        batch -= self.mean
        self.var = (1 - self.momentum) * self.var + self.momentum * batch.detach().pow(2).mean(0)


def critic_loss(obs, w, stat):
    values = torch.exp(obs @ w)
    loss = values.log1p().sum()
    stat.push(values)
    return loss


def example():
    torch.manual_seed(0)
    return critic_loss, (torch.randn(4, 3), torch.randn(3, 2, requires_grad=True), RunningStat(2))
