"""A GAN step that updates the discriminator between two backward passes through it.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def train_step(G, D, opt_d, opt_g, z, real):
    fake = G(z)
    pred_fake = D(fake)
    d_loss = pred_fake.mean() - D(real).mean()
    opt_d.zero_grad()
    d_loss.backward(retain_graph=True)
    opt_d.step()

    g_loss = -pred_fake.mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    return g_loss


def example():
    torch.manual_seed(0)
    G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    opt_d = torch.optim.SGD(D.parameters(), lr=0.1)
    opt_g = torch.optim.SGD(G.parameters(), lr=0.1)
    return train_step, (G, D, opt_d, opt_g, torch.randn(2, 2), torch.randn(2, 2))
