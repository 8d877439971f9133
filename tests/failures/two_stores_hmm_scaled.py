"""The forward algorithm normalises each step and keeps the scale.

Torch: modified by an inplace operation
"""
import torch


def forward_algorithm(log_obs, trans, pi):
    obs = log_obs.exp()
    A = torch.softmax(trans, -1)
    T, S = obs.shape
    alpha = torch.zeros(T, S)
    scale = torch.zeros(T)
    alpha[0] = pi * obs[0]
    scale[0] = alpha[0].sum()
    alpha[0] = alpha[0] / scale[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * obs[t]
        scale[t] = alpha[t].sum()
        alpha[t] = alpha[t] / scale[t]
    return scale.log().sum()


def example():
    torch.manual_seed(0)
    return forward_algorithm, (torch.randn(3, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True), torch.tensor([0.4, 0.6]))
