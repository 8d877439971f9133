"""A helper writes a sinusoidal table into the weight of an embedding that it is given.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def create_sinusoidal_embeddings(n_pos, dim, out):
    position_enc = torch.tensor([[pos / 10000 ** (2 * (j // 2) / dim) for j in range(dim)] for pos in range(n_pos)])
    out[:, 0::2] = torch.sin(position_enc[:, 0::2])
    out[:, 1::2] = torch.cos(position_enc[:, 1::2])


class Embeddings(nn.Module):
    def __init__(self, vocab, dim, n_pos):
        super().__init__()
        self.word = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(n_pos, dim)

    def reset_positions(self):
        create_sinusoidal_embeddings(6, 4, out=self.pos.weight)

    def forward(self, ids):
        self.reset_positions()
        positions = torch.arange(ids.size(1))
        return self.word(ids) * self.pos(positions)


def example():
    torch.manual_seed(5)
    return Embeddings(5, 4, 6), (torch.tensor([[0, 3, 1]]),)
