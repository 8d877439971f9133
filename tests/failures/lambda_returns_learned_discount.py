"""Backward recursion of returns with a predicted discount, stored into a preallocated tensor.

Torch: modified by an inplace operation
"""
import torch


def compute_returns(rewards, discounts, bootstrap):
    T = rewards.shape[0]
    returns = torch.zeros(T + 1)
    returns[T] = bootstrap
    for t in reversed(range(T)):
        returns[t] = rewards[t] + discounts[t] * returns[t + 1]
    return returns[:-1]


def example():
    torch.manual_seed(0)
    rewards = torch.randn(5, requires_grad=True)
    discounts = torch.rand(5, requires_grad=True)
    return compute_returns, (rewards, discounts, torch.tensor(0.7, requires_grad=True))
