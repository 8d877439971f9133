"""pix2pix: the generator's loss uses the score that the discriminator gave before its step."""
import torch
import torch.nn.functional as F
from torch import nn

netG = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
netD = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(4, 1, 3, padding=1))
optG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
optD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
for epoch in range(3):
    a, b = torch.rand(2, 1, 5, 5), torch.rand(2, 1, 5, 5)
    fake_b = netG(a)
    pred_fake = netD(torch.cat((a, fake_b), 1))
    pred_real = netD(torch.cat((a, b), 1))
    loss_d = 0.5 * (pred_fake.pow(2).mean() + (pred_real - 1).pow(2).mean())
    loss_g = (pred_fake - 1).pow(2).mean() + 10 * F.l1_loss(fake_b, b)  #-

    optD.zero_grad()
    loss_d.backward(retain_graph=True)
    optD.step()

    #+ loss_g = (netD(torch.cat((a, fake_b), 1)) - 1).pow(2).mean() + 10 * F.l1_loss(fake_b, b)
    optG.zero_grad()
    loss_g.backward()
    optG.step()
