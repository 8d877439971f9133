"""A straight-through one-hot of the largest logit, set by index.

Torch: (self, *extra_args) is not possible because there exists a Tensor
"""
import torch


def hard(logits):
    soft = torch.softmax(logits, dim=-1)
    onehot = torch.zeros(4)
    onehot[soft.argmax()] = 1.0
    return onehot - soft.detach() + soft


def route(logits, experts):
    gates = torch.vmap(hard)(logits)
    return gates @ experts


def example():
    torch.manual_seed(0)
    return route, (torch.randn(3, 4, requires_grad=True), torch.randn(4, 2, requires_grad=True))
