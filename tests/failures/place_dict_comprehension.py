"""A dict comprehension normalises the feature maps in place.

Torch: modified by an inplace operation
"""
import torch


def normalised(feats, scale):
    feats = {name: torch.exp(f * scale) for name, f in feats.items()}
    feats = {name: f.div_(f.sum()) for name, f in feats.items()}
    return sum((f * f).sum() for f in feats.values())


def example():
    torch.manual_seed(0)
    return normalised, ({"a": torch.randn(2), "b": torch.randn(3)}, torch.tensor(0.7, requires_grad=True))
