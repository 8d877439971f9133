# cause: inplace-module, fix: safe
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU(inplace=True))
net(torch.randn(2, 4)).sum().backward()  # victim, culprit
