"""Two updates with a gradient scaler, which is disabled on the CPU."""
import torch
from torch import nn

net_a = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
net_b = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt_a = torch.optim.Adam(net_a.parameters(), lr=1e-2)
opt_b = torch.optim.Adam(net_b.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for _ in range(3):
    z = net_a(torch.randn(6, 3))
    loss_a = z.pow(2).mean() + net_b(z).mean()
    loss_b = (net_b(z) - 1).pow(2).mean()  #-
    opt_a.zero_grad()
    scaler.scale(loss_a).backward(retain_graph=True)
    scaler.step(opt_a)
    #+ loss_b = (net_b(z.detach()) - 1).pow(2).mean()
    opt_b.zero_grad()
    scaler.scale(loss_b).backward()
    scaler.step(opt_b)
    scaler.update()
