"""Rodrigues' formula with a skew matrix filled entry by entry and scaled afterwards.

Torch: modified by an inplace operation
"""
import torch


def hat(w):
    K = torch.zeros(3, 3)
    K[0, 1], K[0, 2], K[1, 2] = -w[2], w[1], -w[0]
    K[1, 0], K[2, 0], K[2, 1] = w[2], -w[1], w[0]
    return K


def exp_so3(w):
    theta = w.norm()
    K = hat(w)
    K2 = K @ K
    K *= torch.sin(theta) / theta
    K2 *= (1 - torch.cos(theta)) / theta ** 2
    R = torch.eye(3)
    R += K
    R += K2
    return R


def example():
    return exp_so3, (torch.tensor([0.3, -0.5, 0.8], requires_grad=True),)
