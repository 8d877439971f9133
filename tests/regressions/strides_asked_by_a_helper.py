"""A helper permutes what another one views again: masked_fill() between them makes the elements dense."""

import torch


def split_heads(t, h):
    b, n, d = t.shape
    return t.view(b, n, h, d // h).transpose(1, 2)


def merge_heads(t):
    b, h, n, d = t.shape
    return t.transpose(1, 2).view(b, n, h * d)


def _step(x):
    q = split_heads(x.exp(), 2)
    q.masked_fill_(q > 2, 0.0)
    return merge_heads(q)


def f(x):
    outs = []
    for k in range(2):
        outs.append(_step(x * (k + 1)))
    return outs


def example():
    return f, (torch.randn(2, 4, 6).requires_grad_(),)
