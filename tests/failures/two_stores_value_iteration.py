"""Soft value iteration keeps the values and the policies of all sweeps.

Torch: modified by an inplace operation
"""
import torch


def plan(reward, P, gamma, K=2):
    S, A = reward.shape
    V = torch.zeros(K + 1, S)
    pi = torch.zeros(K, S, A)
    for k in range(K):
        Q = reward + gamma * torch.einsum("sat,t->sa", P, V[k])
        pi[k] = torch.softmax(Q, dim=-1)
        V[k + 1] = (pi[k] * Q).sum(-1)
    return V[-1], pi


def example():
    torch.manual_seed(0)
    P = torch.softmax(torch.randn(2, 2, 2), -1)
    return plan, (torch.randn(2, 2, requires_grad=True), P, torch.tensor(0.9, requires_grad=True))
