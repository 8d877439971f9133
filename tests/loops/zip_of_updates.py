"""Losses and optimizers are updated in one loop over pairs."""
import torch
from torch import nn

nets = [nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3)) for _ in range(2)]
opts = [torch.optim.SGD(n.parameters(), lr=0.1) for n in nets]
for _ in range(3):
    x = torch.randn(4, 3)
    first = nets[0](x)
    second = nets[1](first)  #-
    #+ second = nets[1](first.detach())
    losses = [first.pow(2).mean(), (second - x).pow(2).mean()]
    for loss, opt in zip(losses, opts):
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
