import torch
import torch.nn as nn
import torch.nn.functional as F


def exists(val):
    return val is not None


def gumbel_onehot(logits, temperature = 1., dim = -1):
    ind = logits.argmax(dim = dim)
    one_hot = F.one_hot(ind, logits.shape[dim]).type(logits.dtype)
    pi = (logits / temperature).softmax(dim = dim)
    return one_hot + pi - pi.detach(), ind


class Codebook(nn.Module):
    def __init__(self, dim, codebook_size, decay = 0.8):
        super().__init__()
        self.decay = decay
        self.embed = nn.Parameter(torch.randn(1, codebook_size, dim))
        self.register_buffer('cluster_size', torch.zeros(1, codebook_size))

    def track_cluster_size(self, embed_onehot, mask = None):
        if exists(mask):
            embed_onehot[~mask] = 0.

        cluster_size = embed_onehot.sum(dim = 1)
        self.cluster_size.data.lerp_(cluster_size.detach(), 1 - self.decay)

    def forward(self, x, mask = None):
        dist = -torch.cdist(x, self.embed, p = 2)
        embed_onehot, embed_ind = gumbel_onehot(dist)

        quantize = torch.einsum('h n c, h c d -> h n d', embed_onehot, self.embed)

        if self.training:
            self.track_cluster_size(embed_onehot, mask = mask)

        return quantize, embed_ind


codebook = Codebook(dim = 4, codebook_size = 8)
encoder = nn.Linear(6, 4)
mask = torch.tensor([[True, True, True, False, False]])
quantize, ind = codebook(encoder(torch.randn(1, 5, 6)), mask = mask)
loss = F.mse_loss(quantize[mask], torch.randn(3, 4))
loss.backward()
print(encoder.weight.grad.norm(), codebook.embed.grad.norm())
