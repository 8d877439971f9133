"""InfoGAN: the information loss has an optimizer over the generator and the head together."""
import torch
import torch.nn.functional as F
from torch import nn

G = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
Q = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_info = torch.optim.Adam([*G.parameters(), *Q.parameters()], lr=1e-3)
for _ in range(3):
    code = torch.randint(0, 2, (6,))
    fake = G(torch.cat([torch.randn(6, 3), F.one_hot(code, 2).float()], 1))
    opt_g.zero_grad()
    F.softplus(-D(fake)).mean().backward(retain_graph=True)
    opt_g.step()
    #+ fake = G(torch.cat([torch.randn(6, 3), F.one_hot(code, 2).float()], 1))
    opt_info.zero_grad()
    F.cross_entropy(Q(fake), code).backward()
    opt_info.step()
