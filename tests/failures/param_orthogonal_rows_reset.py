"""Dead codes of a codebook are replaced by samples of the batch, by index.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Codebook(nn.Module):
    def __init__(self, n_codes, dim):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(n_codes, dim))
        self.register_buffer("usage", torch.zeros(n_codes))

    def restart_dead_codes(self, z):
        dead = self.usage < 0.5
        if dead.any():
            n = int(dead.sum())
            self.embedding[dead] = z[:n].detach()

    def forward(self, z):
        dist = torch.cdist(z, self.embedding)
        idx = dist.argmin(1)
        self.usage += torch.bincount(idx, minlength=len(self.usage)).float()
        q = self.embedding[idx]
        return z + (q - z).detach(), ((q - z.detach()) ** 2).mean()


class Vq(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(2, 2)
        self.book = Codebook(3, 2)

    def forward(self, x):
        z = self.enc(x)
        self.book.restart_dead_codes(z)
        q, commit = self.book(z)
        return q.sum() + commit


def example():
    torch.manual_seed(0)
    net = Vq()
    return net, (torch.randn(4, 2),)
