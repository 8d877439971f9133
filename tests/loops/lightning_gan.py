"""A module in the manner of Lightning with manual optimisation."""
import torch
import torch.nn.functional as F
from torch import nn


class Module(nn.Module):  # stands for lightning.LightningModule
    def optimizers(self):
        if not hasattr(self, "_optimizers"):
            self._optimizers = self.configure_optimizers()
        return self._optimizers

    def manual_backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)


class GAN(Module):
    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        self.discriminator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def configure_optimizers(self):
        opt_g = torch.optim.Adam(self.generator.parameters(), lr=2e-3)
        opt_d = torch.optim.Adam(self.discriminator.parameters(), lr=2e-3)
        return opt_g, opt_d

    def training_step(self, batch, batch_idx):
        opt_g, opt_d = self.optimizers()
        fake = self.generator(torch.randn(batch.size(0), 4))
        g_loss = F.softplus(-self.discriminator(fake)).mean()
        d_loss = F.softplus(-self.discriminator(batch)).mean() + F.softplus(self.discriminator(fake)).mean()  #-
        opt_g.zero_grad()
        self.manual_backward(g_loss, retain_graph=True)
        opt_g.step()
        #+ d_loss = F.softplus(-self.discriminator(batch)).mean() + F.softplus(self.discriminator(fake.detach())).mean()
        opt_d.zero_grad()
        self.manual_backward(d_loss)
        opt_d.step()


module = GAN()
for idx in range(3):
    module.training_step(torch.randn(6, 3), idx)
