# cause: initialisation, fix: none
import torch
from torch import nn

layer = nn.Linear(4, 4)
x = torch.rand(2, 4, requires_grad=True)
out = layer(x)  # victim
nn.init.xavier_uniform_(layer.weight)  # culprit
out.sum().backward()
