"""A sort key scales what it looks at.

Torch: modified by an inplace operation
"""
import torch


def ranked(feats, w):
    acts = [torch.sigmoid(f) for f in feats]
    scores = map(lambda a: a.mul_(w).sum(), acts)
    return sum(s * s for s in scores)


def example():
    torch.manual_seed(0)
    return ranked, ([torch.randn(2, requires_grad=True), torch.randn(2)], torch.tensor([0.5, 2.0], requires_grad=True))
