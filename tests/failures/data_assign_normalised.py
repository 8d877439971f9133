"""Embeddings are put on the sphere by assigning .data before the scores are taken.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn as nn


def cosine_scores(encoder, queries, keys):
    q = encoder(queries)
    k = encoder(keys)
    q.data = q / q.norm(dim=-1, keepdim=True)
    k.data = torch.nn.functional.normalize(k, dim=-1)
    return q @ k.t()


def example():
    torch.manual_seed(0)
    return cosine_scores, (nn.Linear(2, 3), torch.randn(2, 2), torch.randn(2, 2))
