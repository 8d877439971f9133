"""Batches are dicts; a transform normalises one entry and the loss compares it with the one computed before.

Torch: modified by an inplace operation
"""
import torch


def normalise(batch, keys):
    for key in keys:
        batch[key] -= batch[key].mean()
        batch[key] /= batch[key].std() + 1e-5
    return batch


def loss_fn(x, w):
    batch = {"feat": torch.exp(x @ w), "mask": torch.ones(3, 2)}
    raw = (batch["feat"] ** 2).mean()
    batch = normalise(batch, ["feat"])
    return raw + (batch["feat"] * batch["mask"]).pow(3).sum()


def example():
    torch.manual_seed(0)
    return loss_fn, (torch.randn(3, 4), torch.randn(4, 2, requires_grad=True))
