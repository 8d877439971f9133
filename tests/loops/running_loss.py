"""The losses are summed over the epoch, and backward is called on the sum."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
total = 0
for x in torch.randn(4, 6, 3):
    loss = (net(x) - 1).pow(2).mean()
    total = total + loss  #-
    #+ total = total + loss.item()
    optimizer.zero_grad()
    total.backward(retain_graph=True)  #-
    #+ loss.backward()
    optimizer.step()
