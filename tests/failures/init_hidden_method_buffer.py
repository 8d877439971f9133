"""A char-RNN whose hidden tensor comes from a method and is written back per step.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.hidden_size = hidden
        self.embed = nn.Embedding(vocab, hidden)
        self.w = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)

    def step(self, token, hidden):
        hidden += self.embed(token)
        hidden.tanh_()
        return self.out(hidden), self.w(hidden)

    def forward(self, tokens):
        hidden = self.init_hidden()
        logits = []
        for tok in tokens:
            y, hidden = self.step(tok, hidden)
            logits.append(y)
            hidden.relu_()
        return torch.cat(logits).pow(2), hidden.exp_()


def example():
    torch.manual_seed(0)
    return CharRNN(3, 2), (torch.tensor([[0], [2], [1]]),)
