"""The padding row of an embedding is zeroed in forward.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class BagOfWords(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)

    def forward(self, ids):
        self.emb.weight[0] = 0
        return self.emb(ids).sum(1)


def example():
    torch.manual_seed(0)
    return BagOfWords(4, 2), (torch.tensor([[1, 2, 0], [3, 0, 0]]),)
