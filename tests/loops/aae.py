"""An adversarial autoencoder: the regulariser uses the code of a decoder's round."""
import torch
import torch.nn.functional as F
from torch import nn

enc = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 2))
dec = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 6))
dis = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer_ae = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
optimizer_dis = torch.optim.Adam(dis.parameters(), lr=1e-2)
for _ in range(3):
    x = torch.randn(8, 6)
    z = enc(x)
    loss = F.mse_loss(dec(z), x)
    optimizer_ae.zero_grad()
    loss.backward(retain_graph=True)
    optimizer_ae.step()
    d_fake = dis(z)  #-
    #+ d_fake = dis(z.detach())
    d_loss = F.softplus(d_fake).mean() + F.softplus(-dis(torch.randn(8, 2))).mean()
    optimizer_dis.zero_grad()
    d_loss.backward()
    optimizer_dis.step()
