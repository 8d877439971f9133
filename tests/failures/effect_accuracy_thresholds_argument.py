"""An accuracy meter thresholds the predictions it is given, through a flattened view.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class BinaryAccuracy:
    def __init__(self):
        self.correct = 0
        self.total = 0

    def update(self, probs, labels):
        probs = probs.view(-1)
        probs[probs >= 0.5] = 1
        probs[probs < 0.5] = 0
        self.correct += (probs == labels.view(-1)).sum().item()
        self.total += labels.numel()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.metric = BinaryAccuracy()

    def forward(self, x, y):
        p = torch.sigmoid(self.fc(x))
        loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
        self.metric.update(p, y)
        return loss


def example():
    torch.manual_seed(0)
    return Model(), (torch.randn(4, 3), (torch.rand(4, 2) > 0.5).float())
