"""Two tasks, one optimizer, a step after each backward of the same forward."""
import torch
from torch import nn

trunk = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
heads = nn.ModuleList([nn.Linear(8, 1), nn.Linear(8, 1)])
optimizer = torch.optim.SGD([*trunk.parameters(), *heads.parameters()], lr=0.05)
for _ in range(3):
    features = trunk(torch.randn(6, 4))
    losses = [head(features).pow(2).mean() for head in heads]
    for loss in losses:  #-
        optimizer.zero_grad()  #-
        loss.backward(retain_graph=True)  #-
        optimizer.step()  #-
    #+ optimizer.zero_grad()
    #+ sum(losses).backward()
    #+ optimizer.step()
