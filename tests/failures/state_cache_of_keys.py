"""Attention keys are cached in a dict by layer and rescaled when the next token arrives.

Torch: modified by an inplace operation
"""
import torch


def decode(tokens, wk, wq, decay):
    cache = {}
    out = 0
    for t, x in enumerate(tokens):
        for layer in range(2):
            k = torch.tanh(x @ wk[layer])
            if layer in cache:
                cache[layer] *= decay
                cache[layer] += k
            else:
                cache[layer] = k
            out = out + torch.exp((x @ wq[layer] * cache[layer]).sum())
    return out


def example():
    torch.manual_seed(0)
    wk, wq = torch.randn(2, 2, 2, requires_grad=True), torch.randn(2, 2, 2, requires_grad=True)
    return decode, (torch.randn(3, 2), wk, wq, torch.tensor(0.9, requires_grad=True))
