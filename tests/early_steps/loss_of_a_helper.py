"""Functions compute the losses; that of the generator uses the score from before the step."""

import torch
import torch.nn as nn
from torch import optim


class Net(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a = nn.Linear(i, 8)
        self.b = nn.Linear(8, o)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def d_loss(score, real_score):
    loss = score.mean() - real_score.mean()
    return loss


def g_loss(score):
    return -score.mean()


def train(G, D, opt_G, opt_D):
    for _ in range(2):
        score = D(G(torch.randn(4, 2)))
        loss = d_loss(score, D(torch.randn(4, 2)))
        opt_D.zero_grad()
        loss.backward(retain_graph=True)
        opt_D.step()
        loss = g_loss(score)
        opt_G.zero_grad()
        loss.backward()
        opt_G.step()


G, D = Net(2, 2), Net(2, 1)
train(G, D, optim.Adam(G.parameters()), optim.Adam(D.parameters()))
