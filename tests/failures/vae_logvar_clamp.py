"""A VAE whose log-variance is clamped in place and whose sample is built in place.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class VAE(nn.Module):
    def __init__(self, d, z):
        super().__init__()
        self.enc = nn.Linear(d, 2 * z)
        self.dec = nn.Linear(z, d)

    def reparameterize(self, mu, logvar):
        std = logvar.mul(0.5).exp_()
        eps = torch.randn_like(std)
        return eps.mul_(std).add_(mu)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, dim=-1)
        z = self.reparameterize(mu, logvar)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
        logvar.clamp_(-4, 4)
        rec = self.dec(z)
        rec.sigmoid_()
        rec -= x
        return rec.pow(2).sum() + kl + logvar.sum()


def example():
    torch.manual_seed(0)
    return VAE(2, 2), (torch.randn(2, 2),)
