"""Value iteration on a grid world with a learned reward.

Torch: modified by an inplace operation
"""
import torch


def plan(reward, gamma, sweeps=2):
    H, W = reward.shape
    V = torch.zeros(H + 2, W + 2)
    for _ in range(sweeps):
        for i in range(1, H + 1):
            for j in range(1, W + 1):
                nbrs = torch.stack([V[i - 1, j] ** 2, V[i + 1, j] ** 2, V[i, j - 1] ** 2, V[i, j + 1] ** 2])
                V[i, j] = reward[i - 1, j - 1] + gamma * torch.logsumexp(nbrs, 0)
    return V[1:-1, 1:-1].sum()


def example():
    torch.manual_seed(0)
    return plan, (torch.randn(2, 2, requires_grad=True), torch.tensor(0.9, requires_grad=True))
