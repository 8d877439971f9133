"""A language model is stepped with p.add_ of its clipped gradients.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RNNModel(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.encoder = nn.Embedding(vocab, d)
        self.rnn = nn.RNN(d, d)
        self.decoder = nn.Linear(d, vocab)

    def forward(self, tokens):
        out, _ = self.rnn(self.encoder(tokens))
        return self.decoder(out)


def evaluate(model, data, targets):
    return F.cross_entropy(model(data).flatten(0, 1), targets.flatten())


def step(model, data, targets, lr):
    model.train()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.add_(p.grad, alpha=-lr)
    return evaluate(model, data, targets)


def example():
    torch.manual_seed(0)
    data = torch.tensor([[0, 1], [2, 1], [1, 0]])
    model = RNNModel(3, 2)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    return step, (model, data, data.flip(0), 0.5)
