# kind: changed without an error, cause: weight-update
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
out = net(torch.rand(3, 4))  # victim
for parameter in net.parameters():
    parameter.data.clamp_(-0.01, 0.01)  # culprit
out.sum().backward()
