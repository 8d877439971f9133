# cause: reused-input, fix: safe
import torch
from torch import nn

net = nn.Linear(4, 1)
batch = torch.rand(2, 4)
losses = []
for step in range(2):
    batch.copy_(torch.rand(2, 4))  # culprit
    losses.append(net(batch).sum())  # victim
sum(losses).backward()
