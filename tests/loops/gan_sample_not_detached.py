"""The generator is updated first, and the critic's loss still goes through its sample."""
import torch
from torch import nn

generator = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
optimizer_G = torch.optim.Adam(generator.parameters(), lr=0.01)
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=0.01)
adversarial_loss = nn.BCELoss()
valid, fake = torch.ones(8, 1), torch.zeros(8, 1)
for i in range(4):
    optimizer_G.zero_grad()
    gen_imgs = generator(torch.randn(8, 5))
    g_loss = adversarial_loss(discriminator(gen_imgs), valid)
    g_loss.backward(retain_graph=True)
    optimizer_G.step()

    optimizer_D.zero_grad()
    real_loss = adversarial_loss(discriminator(torch.randn(8, 2)), valid)
    fake_loss = adversarial_loss(discriminator(gen_imgs), fake)  #-
    #+ fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
    d_loss = (real_loss + fake_loss) / 2
    d_loss.backward()
    optimizer_D.step()
