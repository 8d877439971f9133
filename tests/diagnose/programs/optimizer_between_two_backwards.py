# cause: optimizer-step, fix: none
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.rand(3, 4))  # victim
first, second = out.mean(), out.pow(2).mean()
first.backward(retain_graph=True)
optimizer.step()  # culprit
second.backward()
