"""Clustering loss: marginals are clamped in place, although each row of an expanded tensor has one element.

Torch: more than one element of the written-to tensor refers to a single memory location
"""
import torch

EPS = 1e-3


def loss(joint):
    k = joint.size(0)
    rows = joint.sum(dim=1).view(k, 1).expand(k, k)
    columns = joint.sum(dim=0).view(1, k).expand(k,
                                                 k)  # but should be same, symmetric
    rows[(rows < EPS).data] = EPS
    columns[(columns < EPS).data] = EPS
    return (joint * (torch.log(rows) + torch.log(columns))).sum()


def example():
    torch.manual_seed(0)
    joint = torch.rand(3, 3, requires_grad=True)
    return (lambda logits: loss(torch.softmax(logits, 1))), (joint,)
