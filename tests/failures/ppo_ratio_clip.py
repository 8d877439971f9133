"""PPO with the ratio clipped by masked stores.

Torch: modified by an inplace operation
"""
import torch


def ppo_loss(logp, old_logp, adv, eps=0.2):
    ratio = torch.exp(logp - old_logp)
    surr1 = ratio * adv
    ratio[ratio > 1 + eps] = 1 + eps
    ratio[ratio < 1 - eps] = 1 - eps
    surr2 = ratio * adv
    return -torch.min(surr1, surr2).mean()


def example():
    torch.manual_seed(0)
    return ppo_loss, (torch.randn(6, requires_grad=True), torch.randn(6), torch.randn(6, requires_grad=True))
