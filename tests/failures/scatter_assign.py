"""A pointer-generator style scatter into a distribution that softmax has saved.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PointerGenerator(nn.Module):
    def __init__(self, dim, vocab):
        super().__init__()
        self.vocab_head = nn.Linear(dim, vocab)
        self.copy_head = nn.Linear(dim, 3)
        self.p_gen = nn.Linear(dim, 1)

    def forward(self, h, src_ids):
        p_vocab = torch.softmax(self.vocab_head(h), -1)
        p_copy = torch.softmax(self.copy_head(h), -1)
        p = torch.sigmoid(self.p_gen(h))
        p_vocab *= p
        p_copy *= 1 - p
        p_vocab.scatter_add_(1, src_ids, p_copy)
        return -torch.log(p_vocab + 1e-9)


def example():
    torch.manual_seed(0)
    return PointerGenerator(2, 4), (torch.randn(2, 2), torch.tensor([[0, 1, 1], [2, 3, 0]]))
