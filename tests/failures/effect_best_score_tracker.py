"""A tracker masks padding in the scores before it stores their maximum.

Torch: modified by an inplace operation
"""
import torch


class Tracker:
    best = None

    def log(self, scores, lengths):
        for b in range(scores.size(0)):
            scores[b, lengths[b]:] = float("-inf")
        self.best = scores.max().item()


def ranking_loss(q, d, lengths):
    scores = torch.exp(torch.einsum("bd,bld->bl", q, d))
    tracker = Tracker()
    loss = scores.sum(1).log().mean()
    tracker.log(scores, lengths)
    return loss


def example():
    torch.manual_seed(0)
    return ranking_loss, (torch.randn(2, 3, requires_grad=True), torch.randn(2, 4, 3), [2, 3])
