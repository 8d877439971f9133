# kind: detached in place, cause: detached, fix: none
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.rand(2, 3)).pow(3).sum().backward(create_graph=True)
penalty = net.weight.grad.pow(2).sum()  # victim
optimizer.zero_grad(set_to_none=False)  # culprit
penalty.backward()
