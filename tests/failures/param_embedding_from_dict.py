"""Word vectors are written into rows of an embedding.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self, vocab, dim, n_tags):
        super().__init__()
        self.vocab = vocab
        self.embedding = nn.Embedding(len(vocab), dim)
        self.out = nn.Linear(dim, n_tags)

    def load_vectors(self, vectors):
        for word, vec in vectors.items():
            if word in self.vocab:
                self.embedding.weight[self.vocab[word]] = vec
        self.embedding.weight[0].fill_(0)

    def forward(self, tokens, vectors):
        self.load_vectors(vectors)
        return self.out(self.embedding(tokens))


def example():
    torch.manual_seed(0)
    vocab = {"<pad>": 0, "the": 1, "cat": 2}
    return Tagger(vocab, 2, 3), (torch.tensor([[1, 2, 0]]), {"cat": torch.randn(2), "dog": torch.randn(2)})
