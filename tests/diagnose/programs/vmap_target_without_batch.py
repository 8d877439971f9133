# kind: vmap, cause: vmap
import torch


def first(row):
    out = torch.zeros(2)
    out[0] = row[0]  # culprit
    return out


torch.func.vmap(first)(torch.rand(3, 2))
