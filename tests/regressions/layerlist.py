"""Elements of a list that get what a layer makes of them: no tensor is written, and nothing is cloned."""

import torch
import torch.nn as nn


class Detect(nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.classes = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])

    def forward(self, x):
        for i in range(len(x)):
            x[i] = torch.cat((self.boxes[i](x[i]), self.classes[i](x[i])), 1)
        return x


def example():
    torch.manual_seed(0)
    return Detect(), ([torch.randn(3, 2, requires_grad=True), torch.randn(3, 2, requires_grad=True)],)
