# cause: out-of-place, fix: unsafe
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
net[1].register_forward_hook(lambda module, args, output: output.mul_(2))  # culprit
net(torch.rand(2, 4)).sum().backward()  # victim
