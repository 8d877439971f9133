# kind: vmap, cause: vmap, fix: none
import torch


def first(row):
    out = torch.zeros(2)
    out[0] = row[0]  # culprit
    return out


torch.func.vmap(first)(torch.rand(3, 2))
