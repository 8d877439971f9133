import copy

import torch
import torch.nn as nn


class Protein(object):
    def __init__(self, angles):
        self.angles = angles

    def __len__(self):
        return self.angles.shape[0]


class AnglePredictionHelper(object):
    """Helps analyze protein structure predictions via torsional angles."""

    def __init__(self, batch, sc_angs_true, sc_angs_pred) -> None:
        self.batch_true = batch
        self.batch_pred = None
        self.angs_true = sc_angs_true
        self.angs_pred = sc_angs_pred.clone()

        # We know that the true angle matrix has been padded with nans.
        # Let's copy over that information into the predicted matrices.
        assert torch.isnan(self.angs_true).any(), ("The true angle tensor must be padded "
                                                   "with nans (0 found).")
        self.angs_pred[torch.isnan(self.angs_true)] = torch.nan

        # Init the predicted batch to be equal to the true batch but with pred angles
        self.batch_pred = [copy.copy(p) for p in self.batch_true]
        for idx in range(len(batch)):
            self.batch_pred[idx].angles = self.angs_pred[idx, 0:len(self.batch_true[idx])]

    def angle_metrics_dict(self):
        diff = torch.remainder(self.angs_pred - self.angs_true + torch.pi, 2 * torch.pi) - torch.pi
        return {'mae': torch.nanmean(diff.abs()).item()}


class LitSidechainTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ff1 = nn.Linear(10, 16)
        self.output_projection = nn.Linear(16, 2 * 4)

    def forward(self, x):
        out = torch.tanh(self.output_projection(torch.relu(self.ff1(x))))
        out = out.view(*x.shape[:2], 4, 2)
        return torch.atan2(out[..., 1], out[..., 0])

    def training_step(self, batch, sc_angs_true, x):
        sc_angs_pred = self(x)
        loss_dict = self._get_losses(batch, sc_angs_true, sc_angs_pred)
        return loss_dict['mse']

    def _get_losses(self, batch, sc_angs_true, sc_angs_pred):
        mask = sc_angs_true.ne(sc_angs_true)
        diff = torch.sin(sc_angs_pred) - torch.sin(sc_angs_true)
        loss_dict = {'mse': (diff[~mask] ** 2).mean()}
        pred_helper = AnglePredictionHelper(batch, sc_angs_true, sc_angs_pred)
        loss_dict.update(pred_helper.angle_metrics_dict())
        return loss_dict


model = LitSidechainTransformer()
sc_angs_true = torch.randn(3, 6, 4)
sc_angs_true[0, 4:] = torch.nan
sc_angs_true[2, :, 3] = torch.nan
batch = [Protein(sc_angs_true[i]) for i in range(3)]
loss = model.training_step(batch, sc_angs_true, torch.randn(3, 6, 10))
loss.backward()
print(loss.item(), model.ff1.weight.grad.norm())
