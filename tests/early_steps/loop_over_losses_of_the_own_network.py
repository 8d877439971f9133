"""A loop takes the step of each network's optimizer; the losses share nothing."""

import torch
import torch.nn as nn

nets = {"a": nn.Linear(2, 1), "b": nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))}
opts = {"a": torch.optim.SGD(nets["a"].parameters(), 0.1), "b": torch.optim.Adam(nets["b"].parameters())}
for _ in range(2):
    x = torch.randn(4, 2)
    losses = {"a": nets["a"](x).pow(2).mean(), "b": nets["b"](x).pow(2).mean()}
    for name, opt in opts.items():
        opt.zero_grad()
        losses[name].backward()
        opt.step()
