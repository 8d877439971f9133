"""WGAN by hand: the critic's weights are clamped before the generator's loss goes through them."""
import torch
from torch import nn

G = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
C = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.RMSprop(G.parameters(), lr=1e-2)
opt_c = torch.optim.RMSprop(C.parameters(), lr=1e-2)
for _ in range(3):
    fake = G(torch.randn(6, 3))
    score = C(fake)
    opt_c.zero_grad()
    (score.mean() - C(torch.randn(6, 2)).mean()).backward(retain_graph=True)
    opt_c.step()
    with torch.no_grad():
        for p in C.parameters():
            p.clamp_(-0.1, 0.1)
    #+ score = C(fake)
    opt_g.zero_grad()
    (-score.mean()).backward()
    opt_g.step()
