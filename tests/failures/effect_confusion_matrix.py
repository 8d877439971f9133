"""A confusion matrix is filled from predictions that it zeroes where they are ignored.

Torch: modified by an inplace operation
"""
import torch


class ConfusionMatrix(object):
    def __init__(self, num_classes):
        self.mat = torch.zeros(num_classes, num_classes)

    def add_batch(self, pred, target, ignore_index=255):
        pred[target == ignore_index] = 0
        labels = pred.argmax(1)
        for p, t in zip(labels.tolist(), target.tolist()):
            if t != ignore_index:
                self.mat[t, p] += 1


def training_step(x, target, w, cm):
    pred = torch.softmax(x @ w, dim=1)
    keep = target != 255
    loss = -torch.log(pred[keep]).gather(1, target[keep].unsqueeze(1)).mean() + (pred ** 2).sum()
    cm.add_batch(pred, target)
    return loss


def example():
    torch.manual_seed(0)
    return training_step, (
        torch.randn(4, 2),
        torch.tensor([0, 2, 255, 1]),
        torch.randn(2, 3, requires_grad=True),
        ConfusionMatrix(3),
    )
