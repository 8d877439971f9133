# kind: view made by a custom function, cause: function-view, fix: unsafe
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
net[0].register_full_backward_hook(lambda module, before, after: None)
net(torch.rand(2, 4)).sum().backward()  # victim, culprit
