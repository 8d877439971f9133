# cause: averaging, fix: none
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

net = nn.Linear(4, 4)
average = AveragedModel(net)
average.update_parameters(net)
x = torch.rand(2, 4, requires_grad=True)
loss = (average(x) - net(x)).pow(2).sum()  # victim
average.update_parameters(net)  # culprit
loss.backward()
