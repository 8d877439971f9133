import torch
import torch.nn as nn


def _check_input(x, y=None, zero_diagonal=None):
    if x.ndim != 2:
        raise ValueError(f"Expected argument `x` to be a 2D tensor of shape `[N, d]` but got {x.shape}")
    if y is not None:
        zero_diagonal = False if zero_diagonal is None else zero_diagonal
    else:
        y = x.clone()
        zero_diagonal = True if zero_diagonal is None else zero_diagonal
    return x, y, zero_diagonal


def _pairwise_cosine_update(x, y=None, zero_diagonal=None):
    x, y, zero_diagonal = _check_input(x, y, zero_diagonal)

    norm = torch.norm(x, p=2, dim=1)
    x /= norm.unsqueeze(1)
    norm = torch.norm(y, p=2, dim=1)
    y /= norm.unsqueeze(1)

    distance = x @ y.T
    if zero_diagonal:
        mask = torch.eye(distance.shape[0], dtype=torch.bool)
        distance = distance.masked_fill(mask, 0)
    return distance


def pairwise_cosine(x, y=None, reduction=None, zero_diagonal=None):
    distance = _pairwise_cosine_update(x, y, zero_diagonal)
    if reduction == "mean":
        return distance.mean(dim=-1)
    return distance


encoder = nn.Linear(6, 4)
queries, keys = torch.randn(5, 6), torch.randn(7, 6)
sim = pairwise_cosine(encoder(queries), encoder(keys), reduction="mean")
loss = (1 - sim).sum()
loss.backward()
print(encoder.weight.grad.norm())
