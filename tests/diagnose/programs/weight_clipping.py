# cause: weight-update, fix: none
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
loss = net(torch.rand(3, 4)).mean()  # victim
with torch.no_grad():
    for parameter in net.parameters():
        parameter.clamp_(-0.01, 0.01)  # culprit
loss.backward()
