"""A VAE with a discriminator: encoder, decoder and discriminator have an optimizer each."""
import torch
import torch.nn.functional as F
from torch import nn

encoder = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
decoder = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 6))
discriminator = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
opt_enc = torch.optim.Adam(encoder.parameters(), lr=1e-3)
opt_dec = torch.optim.Adam(decoder.parameters(), lr=1e-3)
opt_dis = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(7, 6)
    mu, logvar = encoder(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    recon = decoder(z)
    kl = (mu.pow(2) + logvar.exp() - 1 - logvar).mean()
    rec = F.mse_loss(recon, x)
    adv = F.softplus(-discriminator(recon)).mean()
    dis_loss = F.softplus(-discriminator(x)).mean() + F.softplus(discriminator(recon.detach())).mean()
    #+ opt_dis.zero_grad()
    #+ opt_enc.zero_grad()
    #+ opt_dec.zero_grad()
    opt_enc.zero_grad()  #-
    (kl + rec).backward(retain_graph=True)  #-
    opt_enc.step()  #-
    opt_dec.zero_grad()  #-
    (rec + 0.1 * adv).backward(retain_graph=True)  #-
    opt_dec.step()  #-
    opt_dis.zero_grad()  #-
    dis_loss.backward()  #-
    #+ (kl + rec + 0.1 * adv).backward()
    #+ opt_dis.zero_grad()
    #+ dis_loss.backward()
    #+ opt_enc.step()
    #+ opt_dec.step()
    opt_dis.step()
