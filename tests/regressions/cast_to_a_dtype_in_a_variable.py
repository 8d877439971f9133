"""A cast to a dtype that a variable names, and an embedding: their dtypes aren't those of what they are made of."""

import torch
import torch.nn.functional as F


def cast(x: torch.Tensor, ids: torch.Tensor, table: torch.Tensor, dtype):
    low = x.to(dtype) * 2
    low += x
    found = F.embedding(ids, table) * 1
    found += table.double()[:2]
    root = ids * 4
    linear = root.sqrt()
    root[root > 0] = linear[root > 0]
    return low, found, root


def example():
    table = torch.tensor([[0.5, 1.5], [0.3, 0.7]], requires_grad=True)
    return cast, (torch.tensor([0.3, 0.7]), torch.tensor([0, 1]), table, torch.bfloat16)
