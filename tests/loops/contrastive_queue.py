"""The keys of earlier batches stay in a queue with their graphs."""
import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
queue = []
for _ in range(4):
    q, k = encoder(torch.randn(5, 3)), encoder(torch.randn(5, 3))
    loss = -(q * k).sum(1).mean()
    for old in queue:
        loss = loss + (q @ old.t()).exp().mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    queue.append(k)  #-
    #+ queue.append(k.detach())
