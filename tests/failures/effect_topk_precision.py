"""Precision at k is computed by knocking out the best item again and again.

Torch: modified by an inplace operation
"""
import torch


def precision_at_k(scores, relevant, k=2):
    hits = 0
    for _ in range(k):
        best = scores.argmax(dim=-1)
        hits += relevant[best].item()
        scores[best] = -1e9
    return hits / k


class Ranker:
    def __init__(self):
        self.log = []

    def loss(self, user, items, relevant):
        scores = torch.sigmoid(items @ user)
        bce = -(relevant * scores.log()).mean()
        self.log.append(precision_at_k(scores, relevant))
        return bce


def example():
    torch.manual_seed(0)
    return Ranker().loss, (torch.randn(3, requires_grad=True), torch.randn(4, 3), torch.tensor([1.0, 0.0, 1.0, 0.0]))
