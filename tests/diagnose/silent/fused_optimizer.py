# kind: changed without an error, cause: optimizer-step
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1, fused=True)
out = net(torch.rand(3, 4))  # victim
out.mean().backward(retain_graph=True)
optimizer.step()  # culprit
out.pow(2).mean().backward()
