# cause: optimizer-step, fix: none
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for parameter in net.parameters():
    parameter.grad = torch.ones_like(parameter)
loss = net(torch.rand(3, 4)).mean()  # victim
optimizer.step()  # culprit
loss.backward()
