# cause: optimizer-step, fix: none
import torch
from torch import nn


class Plain(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.sub_(parameter.grad)  # culprit


net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
optimizer = Plain(net.parameters())
out = net(torch.rand(3, 4))  # victim
out.mean().backward(retain_graph=True)
optimizer.step()
out.pow(2).mean().backward()
