"""A GAN: one score of the sample serves both losses."""
import torch
from torch import nn

G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_G = torch.optim.Adam(G.parameters(), lr=1e-2)
opt_D = torch.optim.Adam(D.parameters(), lr=1e-2)
bce = nn.BCEWithLogitsLoss()
for step in range(5):
    real = torch.randn(6, 3)
    fake = G(torch.randn(6, 4))
    score_fake = D(fake)
    score_real = D(real)
    loss_D = bce(score_real, torch.ones(6, 1)) + bce(score_fake, torch.zeros(6, 1))
    opt_D.zero_grad()
    loss_D.backward(retain_graph=True)
    opt_D.step()
    #+ score_fake = D(fake)
    loss_G = bce(score_fake, torch.ones(6, 1))
    opt_G.zero_grad()
    loss_G.backward()
    opt_G.step()
