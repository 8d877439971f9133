"""Advantages and returns are computed backwards into two buffers.

Torch: modified by an inplace operation
"""
import torch


def gae(rewards, values, log_gamma, lam):
    T = rewards.shape[0]
    adv = torch.zeros_like(rewards)
    ret = torch.zeros_like(rewards)
    gamma = torch.exp(log_gamma)
    last = 0
    for t in reversed(range(T)):
        nxt = values[t + 1] if t + 1 < T else 0.0
        delta = rewards[t] + gamma * nxt - values[t]
        last = delta + gamma * lam * last
        adv[t] = last
        ret[t] = adv[t] * values[t]
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    return (adv * ret).sum()


def example():
    torch.manual_seed(0)
    return gae, (torch.randn(4), torch.randn(4, requires_grad=True), torch.tensor(-0.1, requires_grad=True), 0.9)
