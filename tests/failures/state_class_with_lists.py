"""A replay of a game keeps log probabilities in lists on an object; returns are normalised in place.

Torch: modified by an inplace operation
"""
import torch


class Episode:
    def __init__(self):
        self.log_probs = []
        self.values = []

    def add(self, lp, v):
        self.log_probs.append(lp)
        self.values.append(v)


def a2c_loss(obs, rewards, w_pi, w_v, gamma=0.9):
    ep = Episode()
    for o in obs:
        ep.add(torch.log_softmax(o @ w_pi, -1)[0], torch.exp(o @ w_v))
    values = torch.stack(ep.values)
    entropy = (values ** 2).mean()
    R = 0.0
    returns = []
    for r in reversed(rewards):
        R = r + gamma * R
        returns.insert(0, R)
    values -= torch.tensor(returns)
    values /= values.std() + 1e-6
    return -(torch.stack(ep.log_probs) * values).sum() + entropy


def example():
    torch.manual_seed(0)
    w_pi, w_v = torch.randn(2, 2, requires_grad=True), torch.randn(2, requires_grad=True)
    return a2c_loss, (torch.randn(3, 2), [1.0, 0.0, 2.0], w_pi, w_v)
