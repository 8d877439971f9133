"""Attention of one query over a short memory, accumulated with +=.

Torch: match the broadcast shape
"""
import torch


def read(query, memory):
    weights = torch.softmax(memory @ query, dim=0)
    context = torch.zeros(3)
    for w, slot in zip(weights, memory):
        context += w * slot
    return context


def read_all(queries, memory):
    return torch.vmap(read, in_dims=(0, None))(queries, memory)


def example():
    torch.manual_seed(0)
    return read_all, (torch.randn(4, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True))
