"""A target network that the graph goes through is loaded before backward."""

import torch
import torch.nn as nn

nets = [nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)) for _ in range(2)]
targets = [nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)) for _ in range(2)]
x = torch.randn(5, 3)
joint = torch.cat([t(x) for t in targets], 1).mean(1, keepdim=True)
for net, target in zip(nets, targets):
    loss = (net(x) - joint).pow(2).mean()
    loss.backward(retain_graph=True)
    target.load_state_dict({k: 0.9 * v + 0.1 * net.state_dict()[k] for k, v in target.state_dict().items()})
