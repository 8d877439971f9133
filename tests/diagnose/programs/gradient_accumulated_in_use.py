# cause: gradient, fix: none
import torch
from torch import nn

net = nn.Linear(3, 1)
net(torch.rand(2, 3)).pow(3).sum().backward(create_graph=True)
penalty = net.weight.grad.pow(2).sum()  # victim
net(torch.rand(2, 3)).sum().backward()  # culprit
penalty.backward()
